/**
 * What the estimate of tokens knows of the vocabulary o200k. test/agent/tokens.test.ts compares every entry with the vocabulary.
 */

/** Words that are one token: in lower case, with a capital, and with a space in front; at most two with another sign in front. */
export const wordList: readonly string[] = [
  'about access account action actions active activity actually additional address addresses admin ads after air all allocation allowed',
  'also amount and another answer answers any anything application apps are array assigned attributes audio auth authorized average',
  'back because been before best between billing bit body bool boolean brand browser budget build business but buyer byte bytes cache',
  'calendar call calls campaign can card cash catalog category center changed channel character characters charset checkout city client',
  'close closed code codes collection collections column come comment comments company compare completed conference configuration',
  'connector const content context control conversion cost could count countries country create created credentials credit currency',
  'current cursor custom customer daily data database date day deal deep default defaults definition deleted delivery deprecated',
  'description destination details developer device did direction disabled disc discount display docs does domain download draft',
  'duration each email empty enabled end ends entity error even event example exchange exists export external fact false feedback fees',
  'field fields file files filled filter filters find finding first fixed flag folder for format found free frequency from full',
  'function gateway get gift github give given good got great had handle has have headers height help her here high hint his host hour',
  'how html identifier identity image images import included index info install integer integration interaction interest internal into',
  'invalid inventory invoice item items its json just key keywords kind know known landing language languages last latest left length',
  'let level levels library license like likes limit line lines link list little locale location locations long longitude look lot low',
  'main make management manager manual material may mean media merchant message meta method metrics mode modify money month more most',
  'much multi music must name names namespace need never new next none not note now null number numbers object objective okay one only',
  'open operation optimization option options order orders origin original other our out over overall own owner page pages pagination',
  'paging param parameter parameters params parent part partner path pattern payment percentage permission phone pick place placement',
  'plan platform play please point policy portal position preview previous price prices primary private product products profile',
  'project promotion properties province public published purpose quantity query question questions range rate reach read real really',
  'reason received record reference refund report reports request requested requests requires resource resources response rest result',
  'return returns review revision right role rows rule rules sales same say scale scan schedule scheduled schema scope score search',
  'second secondary seconds secret security see selected selection selector send sense sent separator server service session set',
  'settings share shares she shipping shop since single site size small smart some something sort source speaker spring stage standard',
  'start started starts stat state statement stats status store string structure success such support supported sure sync system table',
  'tags take talk target task tax team tell template terms test text than thank thanks that the them then there these they thing things',
  'think this those three through time timestamp title today token tokens too total tracker tracking transaction transactions true two',
  'type types unique unit unknown updated url usage use user users value variant vendor verb verified version very video views',
  'visibility voucher walk want warehouse was way week weight well were what when where whether which who whole width will window',
  'winter with without word words work workspace would year yes you your zoom',
].flatMap((line) => line.split(' '))

/** Runs of signs with their number of tokens: as they stand between values of JSON. */
export const signRuns: Readonly<Record<number, readonly string[]>> = {
  1: [
    '":"', '","', '":', ',"', '://', ' \\"', '\\",', '},{"', '":["', '},"', '=\\"', '":"+', '.","', '>;', '\\":', '{"', '\\",\\"',
    ',\\"', ' -', '":[', '/?', '*******', '=%', '\\"', '={', '["', '"]', '[]', '{}', '},{', ' {"', ' "', ' (', '):', '"}}', ':[',
    ']]',
  ],
  2: [
    '":[{"', '"},"', '":[],"', '"}},"', '":"/', '}],"', '"}],"', '"],"', '"]},{"', '":["/', '}","', '\\"]","', '":"<', '":"-',
    '\\",</', '":[["', '"}}},"', '":"#', '":"</', '"}}},{"', '}}},{"', '","","","', '}},"', '":"{\\"', '","-', '"}}],"', '":"{',
    '"]],"', '","","-', '+","', '"}},{"', '":"{{', '>","', '","{\\"', '],["', ': "', ', "', '"}]', '"]}', ',["',
  ],
}

/** Pairs of small letters that are no token. Every other pair is one. */
export const splitPairs: readonly string[] = 'bq gk gq jv jz kq kz lq nq qf qg qj qk qv qz rj tq wq wz xg xj xk xq xv xw yq zj zq zv'.split(' ')
