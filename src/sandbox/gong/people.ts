import { idOf, Random } from '../random.ts'
import { companyTime, day } from './time.ts'
import { firstNames, lastNames, titles } from './words.ts'

/** A user with the vendor's fields. */
export interface User {
  readonly id: string
  readonly emailAddress: string
  readonly created: string
  readonly active: boolean
  readonly emailAliases: readonly string[]
  readonly trustedEmailAddress: string | null
  readonly firstName: string
  readonly lastName: string
  readonly title: string | null
  readonly phoneNumber: string | null
  readonly extension: string | null
  readonly personalMeetingUrls: readonly string[]
  readonly settings: Readonly<Record<string, boolean>>
  readonly managerId: string | null
  readonly meetingConsentPageUrl: string | null
  readonly conferencingProviders: null
  readonly spokenLanguages: readonly { language: string; primary: boolean }[]
}

/** A workspace with the vendor's fields. */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly description: string
}

/** How many users there are. */
export const userCount = 312

/** Users 0 to 23 lead somebody; user 0 leads the others of them. */
export const managerCount = 24

const settingNames = [
  'webConferencesRecorded',
  'preventWebConferenceRecording',
  'telephonyCallsImported',
  'emailsImported',
  'preventEmailImport',
  'nonRecordedMeetingsImported',
  'gongConnectEnabled',
]

function ascending(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : Number(left > right))
}

/** The position of a user's manager; undefined for the head and for the last dozen, who have none. */
export function managerOf(index: number): number | undefined {
  if (index === 0 || index >= userCount - 12) return undefined
  return index < managerCount ? 0 : 1 + ((index * 7) % (managerCount - 1))
}

/** True for users who hold calls; every tenth user holds none. */
export function holdsCalls(index: number): boolean {
  return index % 10 !== 9
}

function createUser(seed: number, ids: readonly string[], index: number): User {
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

/** All users, ascending by the number in their id. */
export function createUsers(seed: number): readonly User[] {
  const ids = Array.from({ length: userCount }, (_, index) => idOf(seed, 'user', index)).sort(ascending)
  return ids.map((_, index) => createUser(seed, ids, index))
}

/** The workspaces; the first holds most of the calls. */
export function createWorkspaces(seed: number): readonly Workspace[] {
  const texts: readonly (readonly [string, string])[] = [
    ['Sales', 'Everything the sales teams record'],
    ['Customer Success', 'Onboarding and renewals'],
    ['Partenaires – Europe', ''],
  ]
  return texts.map(([name, description], index) => ({ id: idOf(seed, 'workspace', index), name, description }))
}
