/** What is entered for a new connect link. */
import { type ConnectLinkInput, connectLinkSeconds } from 'ferrule/wire'
import { useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { useAddressParams } from '../../data/params.ts'
import { usePlace } from '../../data/place.ts'
import type { Schema } from '../../parts/form/schema.ts'
import type { TextEntries } from '../../parts/form/text-entry.ts'

/** Configuration values by slug of the kind. */
export type ValuesByKind = Readonly<Record<string, Schema>>

/** What was entered; the address has the connector to authorize again and the first kind. */
export interface Entered {
  readonly workspace: string
  readonly kinds: readonly string[]
  readonly userId: string
  readonly userName: string
  readonly userEmail: string
  readonly name: string
  readonly defaults: ValuesByKind
  readonly locked: ValuesByKind
  readonly redirectUrl: string
  readonly allowedOrigin: string
  readonly seconds: number
  readonly isOtherAllowed: boolean
  readonly isSandbox: boolean
}

/** Returns a member with its text; no member for an empty text. */
const member = <Name extends string>(name: Name, text: string): Partial<Record<Name, string>> =>
  text.trim() === '' ? {} : ({ [name]: text.trim() } as Record<Name, string>) // has this name only

/** Keeps the values of chosen kinds, without kinds that have none. */
const selectValues = (values: ValuesByKind, kinds: readonly string[]) =>
  Object.fromEntries(Object.entries(values).filter(([kind, given]) => kinds.includes(kind) && Object.keys(given).length > 0))

/** Prints what only links to new connectors have. */
const printNew = ({ workspace, kinds, name, defaults, locked, isSandbox }: Entered): Partial<ConnectLinkInput> => ({
  workspace_name: workspace,
  create_workspace: true,
  ...(kinds.length === 0 ? {} : { kinds: [...kinds] }),
  ...member('name', name),
  defaults: selectValues(defaults, kinds),
  locked: selectValues(locked, kinds),
  ...(isSandbox ? { sandbox: true } : {}),
})

/** Prints the body of a creation. @param connector id of the connector to authorize again; undefined: the link makes a new one */
export const printLink = (entered: Entered, connector: string | undefined): ConnectLinkInput => ({
  ...(connector === undefined ? printNew(entered) : { connector_id: connector, allow_other_account: entered.isOtherAllowed }),
  end_user: { id: entered.userId.trim(), ...member('name', entered.userName), ...member('email', entered.userEmail) },
  ...member('redirect_url', entered.redirectUrl),
  ...member('allowed_origin', entered.allowedOrigin),
  expires_in: entered.seconds,
})

/** Holds what is entered. `keep`: it is stored, or given up. */
export function useLinkDraft() {
  const { workspace } = usePlace()
  const [{ kind }] = useAddressParams('kind')
  const [entered, setEntered] = useState<Entered>({
    ...{ workspace: workspace ?? 'default', kinds: kind === undefined ? [] : [kind], userId: '', userName: '', userEmail: '', name: '' },
    ...{ defaults: {}, locked: {}, redirectUrl: '', allowedOrigin: '', seconds: connectLinkSeconds.usual },
    ...{ isOtherAllowed: false, isSandbox: false },
  })
  const set = (changes: Partial<Entered>) => setEntered((before) => ({ ...before, ...changes }))
  return { entered, set, keep: useChanges(entered, ['new']) }
}

/** What parts of the form get. */
export type DraftProps = ReturnType<typeof useLinkDraft> & Pick<TextEntries<never>, 'errorAt'>
