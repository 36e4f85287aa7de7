/** The choice of a way to authorize. */
import { listFields } from '../parts/fields.ts'
import { Action, Actions, Choices, Step } from '../parts/step.tsx'
import { chooseScheme, type PageKind, type PageScheme, useConnecting } from '../view.ts'

/** Prints what a way takes. */
function printWay(kind: PageKind, scheme: PageScheme): string {
  if (scheme.consent) return `You sign in at ${kind.title} and agree there. ${scheme.who ?? ''}`
  const names = listFields(kind, scheme).first.flatMap(({ label, isRequired }) => (isRequired ? [label.toLowerCase()] : []))
  return `You type: ${names.join(', ')}.`
}

/** Asks how to connect. */
export function SchemeStep({ kind }: { readonly kind: PageKind }) {
  const { go } = useConnecting()
  const choices = kind.schemes.map((scheme) => ({
    key: scheme.name,
    title: scheme.consent ? `Sign in at ${kind.title}` : scheme.title,
    about: printWay(kind, scheme),
    onChoose: () => go(chooseScheme(kind, scheme)),
  }))
  return (
    <Step title={`How would you like to connect ${kind.title}?`}>
      {choices.length === 0 && (
        <p>
          There is no way to connect {kind.title} here yet. Ask the one who sent the link: an application at {kind.title} has to be set up.
        </p>
      )}
      <Choices choices={choices} />
      <Actions>
        <Action onClick={() => go({ step: 'welcome' })}>Back</Action>
      </Actions>
    </Step>
  )
}
