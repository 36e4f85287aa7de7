/** Shows a refusal: what is known, and what to do next. */
import { useEffect, useRef } from 'react'
import type { FieldProblem, PageProblem } from '../problem.ts'

/** Shows a refusal. It takes the focus, because the form around it stays as it was. @param props `details`: those without a field of their own */
export function ProblemBox({ problem, details = [] }: { readonly problem: PageProblem; readonly details?: readonly FieldProblem[] }) {
  const box = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new problem takes the focus
  useEffect(() => box.current?.focus(), [problem])
  const { message, hint, code, vendorSays, requestId } = problem
  return (
    <div ref={box} role="alert" tabIndex={-1} className="problem">
      <p>
        <strong>{message}</strong>
      </p>
      {details.map((each) => (
        <p key={each.field + each.message}>
          {each.field.split('/').slice(2).join(' ')} {each.message}
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
