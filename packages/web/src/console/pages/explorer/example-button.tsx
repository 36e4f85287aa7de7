/** Fills in the example of an operation. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useFerrule } from '../../data/ferrule.ts'
import { announce } from '../../parts/announcements.tsx'
import { describeError } from '../../parts/describe-error.ts'
import type { Schema } from '../../parts/form/schema.ts'
import type { Chosen } from './address.ts'
import { hasExample, hasPlaceholders, makeExample } from './example.ts'

/** Shows the button, where there is an example. What was entered is replaced. */
export function ExampleButton({ chosen, onFill }: { readonly chosen: Chosen; readonly onFill: (params: Schema) => void }) {
  const ferrule = useFerrule()
  const { connector, entity, action } = chosen
  const mutation = useMutation({
    mutationFn: () => ferrule.definitions.reference(connector.connector_type),
    onSuccess: ({ examples }) => {
      const smallest = examples.find((each) => each.entity === entity.entity && each.action === action.action)
      const params = makeExample(action.params, smallest?.params ?? {})
      onFill(params)
      announce(`The example is filled in.${hasPlaceholders(params) ? ' Replace what stands in angle brackets.' : ''}`)
    },
    onError: (error) => announce(`The example could not be read. ${describeError(error).sentence}`),
  })
  if (!hasExample(action.params)) return null
  return (
    <Button variant="default" loading={mutation.isPending} onClick={() => mutation.mutate()}>
      Fill in an example
    </Button>
  )
}
