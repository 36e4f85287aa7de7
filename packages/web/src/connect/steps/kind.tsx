/** The choice of a kind. */
import { Action, Actions, Choices, Step } from '../parts/step.tsx'
import { chooseWay, useConnecting } from '../view.ts'

/** Asks which kind to connect. */
export function KindStep() {
  const { page, go } = useConnecting()
  const choices = page.kinds.map((kind) => ({ key: kind.slug, title: kind.title, about: kind.about, onChoose: () => go(chooseWay(kind)) }))
  return (
    <Step title="What would you like to connect?">
      <Choices choices={choices} />
      <Actions>
        <Action onClick={() => go({ step: 'welcome' })}>Back</Action>
      </Actions>
    </Step>
  )
}
