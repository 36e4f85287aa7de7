/** The first screen: who asks for what. */
import type { ConnectPage } from 'ferrule/wire'
import { Action, Actions, Step } from '../parts/step.tsx'
import { canChange, chooseKind, type PageKind, useConnecting } from '../view.ts'

/** Entities that are listed before the rest is folded. */
const shownTitles = 8

/** Prints what is asked for. */
function printTitle({ organization_name: organization, connector, kinds }: ConnectPage): string {
  const [kind, other] = kinds
  if (connector !== null) return `${organization} needs new credentials for ${connector.name}`
  return kind !== undefined && other === undefined
    ? `${organization} would like to connect to your ${kind.title} account`
    : `${organization} would like to connect to one of your accounts`
}

/** Shows what a connector of a kind can read, and says what it can change. @param props `titles`: some of them */
const TitleList = ({ titles, changeable }: { readonly titles: readonly string[] } & Pick<PageKind, 'changeable'>) => (
  <ul className="titles">
    {titles.map((title) => (
      <li key={title}>
        {title}
        {changeable.includes(title) && <span className="soft"> (read and change)</span>}
      </li>
    ))}
  </ul>
)

/** Shows what a connector of a kind can read; a long list is folded. */
function Readable({ readable, changeable }: Pick<PageKind, 'readable' | 'changeable'>) {
  const rest = readable.slice(shownTitles)
  return (
    <>
      <TitleList titles={readable.slice(0, shownTitles)} changeable={changeable} />
      {rest.length > 0 && (
        <details>
          <summary>And {rest.length} more</summary>
          <TitleList titles={rest} changeable={changeable} />
        </details>
      )}
    </>
  )
}

/** Shows what each kind would let the organization read. */
function ReadableKinds({ kinds }: Pick<ConnectPage, 'kinds'>) {
  const [only, other] = kinds
  if (only !== undefined && other === undefined) return <Readable {...only} />
  return kinds.map(({ slug, title, readable, changeable }) => (
    <details key={slug}>
      <summary>{title}</summary>
      <TitleList titles={readable} changeable={changeable} />
    </details>
  ))
}

/** Shows who is asked. */
function EndUser({ end_user: { id, name, email } }: Pick<ConnectPage, 'end_user'>) {
  const title = name ?? email ?? id
  return (
    <p className="user">
      You are invited as <strong>{title}</strong>
      {email !== null && email !== title && <> ({email})</>}. Not you? Then close this page.
    </p>
  )
}

/** Says which account the new credentials may belong to. */
const SameAccount = ({ connector, allow_other_account: other }: ConnectPage) =>
  connector === null ? null : (
    <p>
      {other
        ? 'They replace the stored ones. They may belong to another account.'
        : 'They replace the stored ones, and have to belong to the same account.'}
    </p>
  )

/** Asks for the access. */
export function WelcomeStep() {
  const { page, go, giveUp } = useConnecting()
  return (
    <Step title={printTitle(page)}>
      <EndUser end_user={page.end_user} />
      <SameAccount {...page} />
      <h2>
        What {page.organization_name} will be able to read{page.kinds.some(canChange) && ' and change'}
      </h2>
      <ReadableKinds kinds={page.kinds} />
      <p className="note">
        What you enter is checked, then stored encrypted. Nobody at {page.organization_name} gets to see it. You can end the access at any
        time where you gave it.
      </p>
      <Actions>
        <Action isMain onClick={() => go(chooseKind(page))}>
          Continue
        </Action>
        <Action onClick={giveUp}>Not now</Action>
      </Actions>
    </Step>
  )
}
