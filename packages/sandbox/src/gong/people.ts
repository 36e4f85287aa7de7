import { wordsOf } from '../data.ts'
import { idOf, Random } from '../random.ts'
import { companyTime, day } from './time.ts'

/** How many users there are. */
export const userCount = 312

/** Users 0 to 23 lead somebody; user 0 leads the others of them. */
const managerCount = 24

const settingNames = wordsOf(
  'webConferencesRecorded, preventWebConferenceRecording, telephonyCallsImported, emailsImported, preventEmailImport, nonRecordedMeetingsImported, gongConnectEnabled',
)

const ascending = (left: string, right: string): number => left.length - right.length || (left < right ? -1 : Number(left > right))

/** Returns the position of a user's manager; undefined for the head and for the last dozen, who have none. */
export function managerOf(index: number): number | undefined {
  if (index === 0 || index >= userCount - 12) return undefined
  return index < managerCount ? 0 : 1 + ((index * 7) % (managerCount - 1))
}

/** Returns true for users who hold calls; every tenth user holds none. */
export const holdsCalls = (index: number): boolean => index % 10 !== 9

function createUser(seed: number, ids: readonly string[], index: number) {
  const random = new Random(seed, 'user', index)
  const firstName = random.pick(firstNames)
  const lastName = random.pick(lastNames)
  const plain = `${firstName}.${lastName}`
    .normalize('NFD')
    .replace(/[^A-Za-z.]/g, '')
    .toLowerCase()
  const emailAddress = `${plain}${index}@larkfield.example`
  const manager = managerOf(index)
  const other = random.chance(0.3)
  return {
    id: ids[index] ?? '',
    emailAddress,
    created: companyTime(Date.UTC(2021, 0, 4, 17) + random.int(0, 700) * day + random.int(0, 86_399_999), 3),
    active: holdsCalls(index) || random.chance(0.5),
    emailAliases: random.chance(0.2) ? [`${plain}${index}@larkfield.test`] : [],
    trustedEmailAddress: random.chance(0.1) ? emailAddress : null,
    firstName,
    lastName,
    title: random.chance(0.9) ? random.pick(titles) : null,
    phoneNumber: random.chance(0.5) ? `+1 555 01${random.int(10, 99)} ${random.int(1000, 9999)}` : null,
    extension: random.chance(0.1) ? String(random.int(100, 999)) : null,
    personalMeetingUrls: random.chance(0.4) ? [`https://meet.example/${plain}${index}`] : [],
    settings: Object.fromEntries(settingNames.map((name) => [name, !name.startsWith('prevent') && random.chance(0.7)])),
    managerId: manager === undefined ? null : (ids[manager] ?? null),
    meetingConsentPageUrl: random.chance(0.2) ? `https://join.example/${plain}${index}` : null,
    conferencingProviders: null,
    spokenLanguages: [
      { language: 'en-US', primary: true },
      ...(other ? [{ language: random.pick(['de-DE', 'ja-JP', 'fr-FR']), primary: false }] : []),
    ],
  }
}

/** Returns all users, ascending by the number in their id. */
export function createUsers(seed: number) {
  const ids = Array.from({ length: userCount }, (_, index) => idOf(seed, 'user', index)).sort(ascending)
  return ids.map((_, index) => createUser(seed, ids, index))
}

/** Returns the workspaces; the first holds most of the calls. */
export function createWorkspaces(seed: number) {
  const texts = [
    ['Sales', 'Everything the sales teams record'],
    ['Customer Success', 'Onboarding and renewals'],
    ['Partenaires – Europe', ''],
  ]
  return texts.map(([name, description], index) => ({ id: idOf(seed, 'workspace', index), name, description }))
}

export const firstNames = wordsOf(
  'Mira, Jonas, Aiko, Tomás, Leila, Björn, Priya, Oleksandr, Zoë, Mateo, Ingrid, Kwame, Yuki, Nadia, Søren, Amara, Luca, Hana, Pavel, Chloé, Ravi, Freya, Omar, Elif',
)
export const lastNames = wordsOf(
  'Solberg, Okafor, Tanaka, Núñez, Haddad, Lindqvist, Raman, Kovalenko, Meyer, Alvarez, Dahl, Mensah, Sato, Petrov, Østergaard, Diallo, Rossi, Kim, Novák, Dubois, Iyer, Nilsen, Farouk, Yılmaz',
)
const titles = wordsOf(
  'Account Executive, Sales Development Representative, Customer Success Manager, Solutions Engineer, Sales Manager, Regional Director',
)
export const guestTitles = wordsOf('Head of Operations, Procurement Lead, CTO, Data Analyst, VP Finance')
export const customers = wordsOf(
  'Oakmere, Brightwell Foods, Fjordline, Casa Lumière, Nordhavn Shipping, Tallgrass Energy, Quill & Co, Sunmeadow Clinics, Vela Robotics, Hartmann Möbel, Pinecrest Schools, Aster Bank',
)
export const purposes = wordsOf('Intro, Discovery, Demo, Pricing review, Security questions, Onboarding, Renewal, Quarterly review')
export const topics = wordsOf('Pricing, Next Steps, Small Talk, Integration, Security, Competition, Roadmap, Onboarding, Call Setup')
export const keywords = wordsOf(
  'budget, competitor, discount, contract, security review, integration, timeline, decision maker, renewal, onboarding, pricing, roadmap',
)
export const sentences = [
  'Thanks for joining today.',
  'What does the yearly plan cost?',
  'We would start with the team in Zürich.',
  'Could you send us the security documents?',
  'That is what we saw with other customers as well.',
  'Let me share my screen for a moment.',
  'How long did the rollout take?',
  'Our budget is fixed until the end of the quarter.',
  'I will write the next steps into the invitation.',
  'Does it work with the tools that we already have?',
  'We compared two other products last month.',
  'That makes sense, please go on.',
  'The reports are what my manager asks for every Monday.',
  'Who else should be part of the next meeting?',
  'We can extend the trial by two weeks.',
  'I have to check that with our legal team.',
]
