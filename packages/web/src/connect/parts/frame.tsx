/** The frame around every step. */
import type { ConnectPage } from 'ferrule/wire'
import type { ReactNode } from 'react'
import mark from '../../shared/mark.svg'

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' })

/** Shows who asks, and until when. */
function Header({ organization_name: name, sandbox }: ConnectPage) {
  return (
    <header className="head">
      <span className="initial" aria-hidden="true">
        {[...name][0]?.toUpperCase()}
      </span>
      <span className="organization">{name}</span>
      {sandbox && <span className="badge">Test mode</span>}
    </header>
  )
}

/** Shows the card with its step. @param props `page`: once it is read */
export function Frame({
  page,
  isBusy = false,
  children,
}: {
  readonly page?: ConnectPage
  readonly isBusy?: boolean
  readonly children?: ReactNode
}) {
  return (
    <div className="frame">
      <main className="card" aria-busy={isBusy}>
        {page !== undefined && <Header {...page} />}
        {isBusy && (
          <div role="status" className="skeleton">
            <span className="hidden">Opening the link …</span>
            <span className="bar short" />
            <span className="bar" />
            <span className="bar" />
          </div>
        )}
        {children}
      </main>
      <footer className="foot">
        <p>
          <img src={mark} alt="" width="16" height="16" /> Ferrule at {location.host}
          {page !== undefined && ' keeps the access.'}
          {page?.status === 'open' && <> This link is good until {times.format(Date.parse(page.expires_at))}.</>}
        </p>
      </footer>
    </div>
  )
}
