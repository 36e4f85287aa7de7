/** Shows a refusal: what is known, and what to do next. */
import { useEffect, useRef } from 'react'
import type { PageProblem, ProblemPlace } from '../problem.ts'

/** Shows a refusal. It takes the focus, because the form around it stays as it was. @param props `places`: those without a field of their own */
export function ProblemBox({ problem, places = [] }: { readonly problem: PageProblem; readonly places?: readonly ProblemPlace[] }) {
  const box = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new problem takes the focus
  useEffect(() => box.current?.focus(), [problem])
  const { message, hint, code, vendorSays, requestId } = problem
  return (
    <div ref={box} role="alert" tabIndex={-1} className="problem">
      <p>
        <strong>{message}</strong>
      </p>
      {places.map((place) => (
        <p key={place.field + place.message}>
          {place.field.split('/').slice(2).join(' ')} {place.message}
        </p>
      ))}
      {vendorSays !== undefined && !message.includes(vendorSays) && <p>The vendor says: {vendorSays}</p>}
      <p>{hint}</p>
      <p className="small">
        <code>{code}</code>
        {requestId !== undefined && (
          <>
            , request <code>{requestId}</code>
          </>
        )}
      </p>
    </div>
  )
}
