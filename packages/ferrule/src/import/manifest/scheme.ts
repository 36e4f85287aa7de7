/** Ways to authenticate in the making, and how credentials get into them. */
import type { FileLogin, FileOauth } from '../../kind-file/file.ts'
import type { Address } from './address.ts'
import type { Values } from './component.ts'
import type { Notes } from './outcome.ts'
import type { Setting, Settings } from './settings.ts'
import { findLogic, listSlots, type Slot, type Template, writeTemplate } from './template.ts'

/** A scheme in the making: fields, headers and parameters of the address. */
export interface Scheme {
  readonly name: string
  readonly title: string
  readonly fields: Record<string, string>
  readonly send: Record<string, string>
  readonly query: Record<string, string>
  readonly oauth?: FileOauth
  readonly login?: Login
}
/** A call for a token. Its host is compared with that of the API when that one is known. */
export interface Login extends Omit<FileLogin, 'call' | 'host'> {
  readonly method: 'GET' | 'POST'
  readonly address: Address
}
/** What authenticators are read with. */
export interface AuthSource {
  readonly settings: Settings
  readonly notes: Notes
  /** Address below which the calls of the stream are. */
  readonly base: string
  /** What the specification says about consent. */
  readonly consent: Values
  /** Takes a value into the configuration, as a part of a host or a path. */
  configure(slot: Slot): string
}

/** Writes a credential as a field of a kind. */
export const writeCredential = ({ about, isSecret, isRequired }: Setting, secret = false): string =>
  `${isSecret || secret ? 'secret' : 'string'}${isRequired ? '' : '?'} ${about}`

/** Fills fields of a scheme from the slots of a text. @returns the text with slots of the scheme; undefined for logic */
export function takeCredential(
  template: Template,
  scheme: Pick<Scheme, 'fields'>,
  { settings, notes }: Pick<AuthSource, 'settings' | 'notes'>,
  secret = false,
): string | undefined {
  const logic = findLogic(template)
  if (logic !== undefined) return notes.stop('logic in credentials', logic)
  const foreign = listSlots(template).find(({ root }) => root !== 'config')
  if (foreign !== undefined) return notes.stop('logic in credentials', `${foreign.root} ${foreign.path.join('.')}`)
  return writeTemplate(template, (slot) => {
    const setting = settings.find(slot)
    scheme.fields[setting.name] ??= writeCredential(setting, secret)
    return `{${setting.name}}`
  })
}

/** Makes a scheme without fields. */
export const makeScheme = (name: string, title: string): Scheme => ({ name, title, fields: {}, send: {}, query: {} })
