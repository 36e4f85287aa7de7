/** The state of the page. All of it is in the address: connector, operation, parameters, whether it ran, and the views. */
import { useDebouncedCallback } from '@mantine/hooks'
import { writeJson } from 'ferrule/internal'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { parseParams, printParams, useAddressParams } from '../../data/params.ts'
import { completeValue, hasSecrets, type Schema } from '../../parts/form/schema.ts'
import { type ChosenOperation, isRead, isSameCall, isSameOperation } from './operation.ts'

/** The parameters of the address. */
const names = ['connector', 'kind', 'entity', 'action', 'params', 'run', 'view', 'edit', 'method', 'path'] as const

/** Reads and changes the address. */
export const useExplorerAddress = () => useAddressParams(...names)

/** The operation that is chosen, with everything that is known about it. */
export interface Chosen {
  readonly connector: ConnectorRecord
  readonly kind: DefinitionRecord
  readonly entity: DefinitionRecord['entities'][number]
  readonly action: DefinitionRecord['entities'][number]['actions'][number]
}

/** Time without typing after which parameters are put into the address, in milliseconds. */
const typingMs = 500

/** Keeps parameters while they are typed; the address follows. A change of the address, such as the browser's way back, wins. */
function useDraft(schema: Schema) {
  const [{ params }, change] = useExplorerAddress()
  const isSecret = hasSecrets(schema)
  const [draft, setDraft] = useState({ value: parseParams(params), written: params, before: params })
  const isCurrent = params === draft.written || params === draft.before
  if (!isCurrent) setDraft({ value: parseParams(params), written: params, before: params })
  const write = useDebouncedCallback(
    (written: string | undefined) => change({ params: written, run: undefined }, { replace: true }),
    typingMs,
  )
  const setValue = (value: Schema) => {
    const written = isSecret ? undefined : printParams(value)
    setDraft({ value, written, before: params })
    write(written)
  }
  return { value: completeValue(schema, isCurrent ? draft.value : parseParams(params)), setValue, stopWriting: write.cancel }
}

/** Keeps what the page runs, and the call whose answer is shown. */
export function useCall({ connector, entity, action }: Chosen) {
  const [address, change] = useExplorerAddress()
  const { value, setValue, stopWriting } = useDraft(action.params)
  const build = (params: Schema): ChosenOperation => ({
    connector: connector.id,
    entity: entity.entity,
    action: action.action,
    params: writeJson(completeValue(action.params, params)),
  })
  const [last, setLast] = useState<ChosenOperation>()
  const named = address.run === '1' && isRead(action.action) ? build(parseParams(address.params)) : undefined
  if (named !== undefined && !isSameCall(named, last)) setLast(named)
  const current = build(value)
  const written = hasSecrets(action.params) ? undefined : printParams(value)
  const isWhole = build(parseParams(written)).params === current.params
  // What the address has is there again after a step back.
  const keep = useChanges(isWhole ? undefined : current.params, ['connector', 'entity', 'action'])
  /** Runs what the form says; only reads are repeated by their address. */
  const run = () => {
    stopWriting()
    keep()
    setLast((before) => (isSameCall(before, current) ? before : { ...current, attempt: (before?.attempt ?? 0) + 1 }))
    change({ params: written, run: isRead(action.action) && isWhole ? '1' : undefined })
  }
  const ran = last !== undefined && isSameOperation(last, current) ? last : undefined
  return { value, setValue, run, ran, current }
}
