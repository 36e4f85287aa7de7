/** Parts that every step is made of. */
import { type ReactNode, useEffect, useRef } from 'react'

/** Shows a step. Its heading takes the focus, so that the keyboard and a screen reader begin there. */
export function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = title
    heading.current?.focus()
  }, [title])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  )
}

/** A button of a step. */
export interface ActionProps {
  readonly children: ReactNode
  readonly onClick?: (() => void) | undefined
  readonly isMain?: boolean
  readonly isBusy?: boolean
  readonly type?: 'button' | 'submit'
}

/** Shows a button. A busy one keeps the focus, and does nothing. */
export function Action({ children, onClick, isMain = false, isBusy = false, type = 'button' }: ActionProps) {
  return (
    <button type={type} className={isMain ? 'action main' : 'action'} aria-disabled={isBusy} onClick={isBusy ? undefined : onClick}>
      {children}
    </button>
  )
}

/** Shows the buttons of a step, the main one first. */
export const Actions = ({ children }: { readonly children: ReactNode }) => <div className="actions">{children}</div>

/** Shows what is being done; a screen reader says it. */
export const Progress = ({ children }: { readonly children: ReactNode }) => (
  <p role="status" className="progress">
    {children}
  </p>
)

/** A choice between several ways. */
export interface Choice {
  readonly key: string
  readonly title: string
  readonly about: string
  onChoose(): void
}

/** Shows choices as large buttons. */
export const Choices = ({ choices }: { readonly choices: readonly Choice[] }) => (
  <ul className="choices">
    {choices.map(({ key, title, about, onChoose }) => (
      <li key={key}>
        <button type="button" className="choice" onClick={onChoose}>
          <strong>{title}</strong>
          <span>{about}</span>
        </button>
      </li>
    ))}
  </ul>
)
