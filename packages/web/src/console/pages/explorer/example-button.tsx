/** Fills in the example of an operation that the documents have. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useFerrule } from '../../data/ferrule.ts'
import { announce } from '../../parts/announcements.tsx'
import { describeError } from '../../parts/error-box.tsx'
import { completeValue, type Schema } from '../../parts/form/schema.ts'
import type { Chosen } from './address.ts'

/** Shows the button. What was entered is replaced. */
export function ExampleButton({ chosen, onFill }: { readonly chosen: Chosen; readonly onFill: (params: Schema) => void }) {
  const ferrule = useFerrule()
  const { connector, entity, action } = chosen
  const mutation = useMutation({
    mutationFn: () => ferrule.definitions.reference(connector.connector_type),
    onSuccess: ({ examples }) => {
      const example = examples.find((each) => each.entity === entity.entity && each.action === action.action)
      onFill(completeValue(action.params, example?.params ?? {}))
      announce('The example is filled in. Replace what stands in angle brackets.')
    },
    onError: (error) => announce(`The example could not be read. ${describeError(error).sentence}`),
  })
  return (
    <Button variant="default" loading={mutation.isPending} onClick={() => mutation.mutate()}>
      Fill in an example
    </Button>
  )
}
