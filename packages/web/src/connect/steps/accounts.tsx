/** The choice of accounts after a consent. */
import type { ConnectAccounts } from 'ferrule/wire'
import { type FormEvent, useEffect, useState } from 'react'
import { chooseAccounts, readAccounts } from '../api.ts'
import { ProblemBox } from '../parts/problem-box.tsx'
import { Action, Actions, Progress, Step } from '../parts/step.tsx'
import { type PageRequest, useRequest } from '../parts/use-request.ts'
import { chooseStart, type PageAttempt, useConnecting } from '../view.ts'

function useAccounts({ run }: PageRequest): ConnectAccounts | undefined {
  const [accounts, setAccounts] = useState<ConnectAccounts>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are read once
  useEffect(() => void run(async () => setAccounts(await readAccounts())), [])
  return accounts
}

interface AccountListProps {
  readonly accounts: ConnectAccounts['accounts']
  /** True: the choice is made, and shown. */
  readonly isFixed: boolean
  readonly chosen: readonly string[]
  readonly onChoose: (ids: readonly string[]) => void
}

function AccountList({ accounts, isFixed, chosen, onChoose }: AccountListProps) {
  const toggle = (id: string) => onChoose(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id])
  const isAll = chosen.length === accounts.length
  return (
    <fieldset>
      <legend>Accounts</legend>
      {accounts.length > 1 && !isFixed && (
        <Action onClick={() => onChoose(isAll ? [] : accounts.map(({ id }) => id))}>{isAll ? 'Choose none' : 'Choose all'}</Action>
      )}
      <ul className="accounts">
        {accounts.map(({ id, name }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={chosen.includes(id)} disabled={isFixed} onChange={() => toggle(id)} />
              <span>
                {name} <span className="soft">{id}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

/** Says why a choice cannot be sent; undefined: it can. */
function refuseChoice(count: number, most: number): string | undefined {
  if (count === 0) return 'Choose at least one account.'
  const words = most === 1 ? 'Choose one account.' : `Choose ${most} accounts at most.`
  return count > most ? words : undefined
}

/** Returns what is ticked at first: what was ticked before a step back or a new load, else what leaves no choice. */
function readChoice({ accounts, fixed, attempt_id }: ConnectAccounts): readonly string[] {
  const ids = accounts.map(({ id }) => id)
  const kept: Partial<Record<string, unknown>> | null = history.state
  const chosen = kept?.['attempt'] === attempt_id ? kept['chosen'] : undefined
  if (fixed || ids.length === 1) return ids
  return Array.isArray(chosen) ? ids.filter((id) => chosen.includes(id)) : []
}

/** Keeps the choice with this entry of the browser's history, which ends with the tab. */
function useChoice(read: ConnectAccounts) {
  const [chosen, setChosen] = useState(() => readChoice(read))
  const choose = (ids: readonly string[]) => {
    history.replaceState({ attempt: read.attempt_id, chosen: ids }, '')
    setChosen(ids)
  }
  return { chosen, choose }
}

/** Asks for the accounts, and makes one connector of them. */
function AccountsForm({ read, request }: { readonly read: ConnectAccounts; readonly request: PageRequest }) {
  const { finish, giveUp } = useConnecting()
  const { accounts, fixed, most, attempt_id } = read
  const { chosen, choose } = useChoice(read)
  const [refusal, setRefusal] = useState<string>()
  const changeChoice = (ids: readonly string[]) => {
    setRefusal(undefined)
    choose(ids)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const refused = refuseChoice(chosen.length, most)
    setRefusal(refused)
    if (refused === undefined) void request.run(async () => finish(await chooseAccounts({ attempt_id, ids: [...chosen] })))
  }
  return (
    <form onSubmit={submit}>
      <AccountList accounts={accounts} isFixed={fixed} chosen={chosen} onChoose={changeChoice} />
      <p role="alert" className="refusal">
        {refusal}
      </p>
      <Progress>{request.isBusy && 'Checking the accounts …'}</Progress>
      <Actions>
        <Action type="submit" isMain isBusy={request.isBusy}>
          {chosen.length === 1 ? 'Connect 1 account' : `Connect ${chosen.length} accounts`}
        </Action>
        <Action onClick={giveUp} isBusy={request.isBusy}>
          Not now
        </Action>
      </Actions>
    </form>
  )
}

/** Shows the choice. */
export function AccountsStep({ attempt }: { readonly attempt: PageAttempt }) {
  const { page, go } = useConnecting()
  const request = useRequest()
  const accounts = useAccounts(request)
  const kind = page.kinds.find(({ slug }) => slug === attempt.kind)
  return (
    <Step title={`Which ${kind?.title ?? ''} accounts may be read?`}>
      <p>All accounts that you choose become one connection of {page.organization_name}.</p>
      {request.problem !== undefined && (
        <>
          <ProblemBox problem={request.problem} />
          <Actions>
            <Action onClick={() => go(chooseStart(kind))}>Start again</Action>
          </Actions>
        </>
      )}
      {accounts === undefined ? (
        <Progress>{request.isBusy && 'Reading your accounts …'}</Progress>
      ) : (
        <AccountsForm read={accounts} request={request} />
      )}
    </Step>
  )
}
