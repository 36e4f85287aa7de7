/** What is entered for a new connector, and what is done with it. */
import type { ConnectorInput, DefinitionRecord } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { connectorLists } from '../../data/connectors.ts'
import { useChanges } from '../../data/leaving.ts'
import { useAddressParams } from '../../data/params.ts'
import { useGo, useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { findScheme } from '../../parts/connectors/credential-fields.tsx'
import { sandboxValues } from '../../parts/connectors/sandbox-values.ts'
import { listProblems } from '../../parts/form/problems.ts'
import { listMissing, printMissing, useRequired } from '../../parts/form/required.ts'
import type { Schema } from '../../parts/form/schema.ts'

/** What was entered; the address has the scheme and the choice of the sandbox. Secrets are kept here only. */
interface Entered {
  readonly name: string
  readonly workspace: string
  readonly credentials: Schema
  readonly configuration: Schema
}

/** Prints the body of a creation. */
const printBody = (slug: string, { name, workspace, credentials, configuration }: Entered, isSandbox: boolean): ConnectorInput => ({
  workspace_name: workspace,
  create_workspace: true,
  connector_type: slug,
  name,
  credentials: { ...credentials },
  replication_config: { ...configuration },
  ...(isSandbox ? { environment: { sandbox: true } } : {}),
})

/** Lists what is missing. */
const listEmpty = (kind: DefinitionRecord, scheme: string | undefined, { name, workspace, credentials, configuration }: Entered) => [
  ...(name.trim() === '' ? [printMissing('/name')] : []),
  ...(workspace.trim() === '' ? [printMissing('/workspace_name')] : []),
  ...listMissing((findScheme(kind, scheme)?.schema ?? {}) as Schema, credentials, '/credentials'), // a JSON Schema is an object
  ...listMissing(kind.configuration as Schema, configuration, '/replication_config'),
]

/** Creates a connector, and shows it. @param keep is called when it is stored */
function useCreation(keep: () => void) {
  const go = useGo()
  return useWrite((ferrule, body: ConnectorInput) => ferrule.connectors.create(body), {
    refreshes: [connectorLists, ['workspaces']],
    onDone: ({ id, name }) => {
      announce(`The connector ${name} was created.`)
      keep()
      go(`/connectors/${id}`, {}, { replace: true })
    },
  })
}

/** Holds what was entered for a connector of a kind. */
export function useDraft(kind: DefinitionRecord) {
  const { workspace } = useTenant()
  const [{ scheme, sandbox }, change] = useAddressParams('scheme', 'sandbox')
  const slug = kind.definition.connector_type
  const isSandbox = sandbox === '1'
  const values = isSandbox ? sandboxValues[slug] : undefined
  const [first] = useState<Entered>({
    name: kind.definition.name,
    workspace: workspace ?? 'default',
    credentials: values?.credentials ?? {},
    configuration: values?.configuration ?? {},
  })
  const [entered, setEntered] = useState(first)
  const keep = useChanges(entered, ['kind'])
  const creation = useCreation(keep)
  const check = useWrite((ferrule, body: ConnectorInput) => ferrule.connectors.checkNew(body))
  const set = (changes: Partial<Entered>) => setEntered((before) => ({ ...before, ...changes }))
  const setSandbox = (wanted: boolean) => {
    const given = wanted ? sandboxValues[slug] : undefined
    const filled = { credentials: given?.credentials ?? {}, configuration: given?.configuration ?? {} }
    change({ sandbox: wanted ? '1' : undefined, scheme: given?.scheme }, { replace: true })
    set(filled)
    keep({ ...first, ...filled })
  }
  const setScheme = (name: string) => {
    change({ scheme: name }, { replace: true })
    set({ credentials: {} })
  }
  const body = printBody(slug, entered, isSandbox)
  const isBusy = creation.isPending || check.isPending
  const refused = [...listProblems(creation.error), ...listProblems(check.error)]
  const { form, problems, isComplete } = useRequired(listEmpty(kind, scheme, entered), refused)
  /** Forgets the answer of the last try. @returns true when the form can be sent */
  const begin = (): boolean => {
    creation.reset()
    check.reset()
    return isComplete()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy && begin()) creation.mutate(body)
  }
  const tryOut = () => begin() && check.mutate(body)
  return {
    entered,
    set,
    isSandbox,
    setSandbox,
    setScheme,
    creation,
    check,
    isBusy,
    form,
    problems,
    submit,
    tryOut,
    scheme: findScheme(kind, scheme)?.scheme,
  }
}

/** The draft of a connector, with its ways to change. */
export type Draft = ReturnType<typeof useDraft>
