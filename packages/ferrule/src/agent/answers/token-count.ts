/**
 * Estimates tokens without a tokenizer, and never too low for the vocabulary o200k.
 *
 * The vocabulary splits a text into digits by three, words and runs of signs. A word or run of the tables counts what it is. Of other small
 * letters nearly every pair is a token, so at most every second token is a single letter: (2 n - 1) / 3 tokens at most. Whatever else there
 * is counts as many tokens as it has bytes.
 */

/**
 * Words that are one token: in lower case, with a capital, and with a space in front; at most two with another sign in front.
 * test/agent/tokens.test.ts compares every entry with the vocabulary.
 */
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

const words: ReadonlySet<string> = new Set(wordList)
const runs: ReadonlyMap<string, number> = new Map(
  Object.entries(signRuns).flatMap(([count, texts]) => texts.map((text): [string, number] => [text, Number(count)])),
)
/** Longest word and longest run of the tables. */
const longestWord = Math.max(...wordList.map(({ length }) => length))
const longestRun = Math.max(...[...runs.keys()].map(({ length }) => length))

/** Classes of characters; `wide` is beyond ASCII, `blank` a control character or a space. */
const [blank, digit, small, capital, sign, wide] = [0, 1, 2, 3, 4, 5]

function classifyAscii(code: number): number {
  if (code <= 0x20 || code === 0x7f) return blank
  if (code >= 0x30 && code <= 0x39) return digit
  if (code >= 0x61 && code <= 0x7a) return small
  return code >= 0x41 && code <= 0x5a ? capital : sign
}

/** Class of each UTF-16 code unit. */
const classes = new Uint8Array(0x1_0000).fill(wide)
for (let code = 0; code < 0x80; code += 1) classes[code] = classifyAscii(code)
/** Returns the class at an index; blank beyond the ends. */
const classify = (text: string, at: number): number => (at >= 0 && at < text.length ? (classes[text.charCodeAt(at)] ?? blank) : blank)

function findEnd(text: string, from: number, wanted: number): number {
  let at = from
  while (at < text.length && classes[text.charCodeAt(at)] === wanted) at += 1
  return at
}

const firstSmall = 0x61
/** Bit that a capital lacks, and its small letter has. */
const smallBit = 0x20
const toPair = (one: number, other: number): number => (one - firstSmall) * 26 + other - firstSmall

/** Marks the pairs of small letters that are no token. */
const isSplit = new Uint8Array(26 * 26)
for (const pair of splitPairs) isSplit[toPair(pair.charCodeAt(0), pair.charCodeAt(1))] = 1

/** Marks the first two letters and the length of each word of the table: they tell most other words apart before the table is asked. */
const isBegun = new Uint8Array(26 * 26 * (longestWord + 1))
const toBeginning = (pair: number, length: number): number => pair * (longestWord + 1) + length
for (const word of wordList) isBegun[toBeginning(toPair(word.charCodeAt(0), word.charCodeAt(1)), word.length)] = 1

/** Counts the bytes of characters beyond ASCII: as many tokens as they can be. Digits behind them can be split elsewhere. */
function countWide(text: string, from: number, to: number): number {
  let bytes = 0
  for (let at = from; at < to; at += 1) bytes += text.charCodeAt(at) < 0x800 ? 2 : 3 // a pair of surrogates has four
  return classify(text, to) === digit ? bytes + 1 : bytes
}

/** Returns whether letters are a word of the table: small ones, or one capital in front of them. Beside other letters they are no word. */
function isListed(text: string, from: number, to: number): boolean {
  const length = to - from
  if (length < 2 || length > longestWord || classes[text.charCodeAt(from + 1)] !== small) return false
  const first = text.charCodeAt(from)
  if (isBegun[toBeginning(toPair(first | smallBit, text.charCodeAt(from + 1)), length)] !== 1) return false
  if (classify(text, to) === wide || classify(text, from - 1) === wide) return false
  const word = text.slice(from, to)
  return words.has(first < firstSmall ? word.toLowerCase() : word)
}

/** Counts the most tokens of letters that are no word of the table: each capital, and what small letters behind them can be. */
function countLetters(text: string, from: number, to: number): number {
  const smallFrom = findEnd(text, from, capital)
  if (smallFrom === to) return to - from
  let tokens = smallFrom - from + Math.ceil((2 * (to - smallFrom) - 1) / 3)
  for (let at = smallFrom + 1; at < to; at += 1) tokens += isSplit[toPair(text.charCodeAt(at - 1), text.charCodeAt(at))] ?? 0
  return tokens
}

/** Counts a run of signs, which can have one space in front. */
function countRun(text: string, from: number, to: number): number {
  const length = to - from
  if (length === 1 || length > longestRun || classify(text, from - 1) === wide || classify(text, to) === wide) return length
  return runs.get(text.slice(from, to)) ?? length
}

const space = 0x20

/** Estimates the tokens of a text. @returns at least the number that o200k has for it */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (let at = 0, end = 0; at < text.length; at = end) {
    const isSpace = text.charCodeAt(at) === space && at + 1 < text.length
    const from = isSpace ? at + 1 : at
    const type = classes[text.charCodeAt(from)]
    if (type === small || type === capital) {
      end = findEnd(text, type === small ? from : findEnd(text, from, capital), small)
      // A space belongs to the word behind it; a single letter with a space is one token.
      tokens += isListed(text, from, end) ? 1 : countLetters(text, from, end) + (isSpace && end - from > 1 ? 1 : 0)
    } else if (type === sign) {
      end = findEnd(text, from, sign)
      tokens += countRun(text, at, end)
    } else if (isSpace || type === blank) {
      end = at + 1
      tokens += 1
    } else {
      end = findEnd(text, at, type === digit ? digit : wide)
      tokens += type === digit ? Math.ceil((end - at) / 3) : countWide(text, at, end)
    }
  }
  return tokens
}
