/** Runs what changes something at the vendor, after a question. */
import { Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { JsonView } from '../../parts/json/json-view.tsx'
import { type Chosen, useCall } from './address.ts'
import { AnswerView } from './answer-view.tsx'
import { ParamsForm } from './params-form.tsx'
import { useWriteCall } from './run.ts'

/** Names the write in a sentence. */
const nameWrite = ({ entity, action }: Chosen): string => `${action.action} ${entity.entity}`

/** Shows the question. */
function Question({ chosen, params }: { readonly chosen: Chosen; readonly params: unknown }) {
  const { connector } = chosen
  return (
    <Stack gap="sm">
      <Text size="sm">{chosen.action.description}</Text>
      <Text size="sm">
        It happens in the account of the connector {connector.name}
        {connector.environment.sandbox ? ', which is the sandbox' : ''}. What the vendor has changed cannot be undone here.
      </Text>
      <JsonView label="Parameters" value={params} />
    </Stack>
  )
}

/** Shows the panel. */
export function WritePanel({ chosen }: { readonly chosen: Chosen }) {
  const call = useCall(chosen)
  const write = useWriteCall(chosen.connector.id)
  const [opened, { open, close }] = useDisclosure(false)
  const confirm = () => {
    call.run()
    close()
    write.mutate(call.current, { onSuccess: () => announce(`Done: ${nameWrite(chosen)}.`) })
  }
  return (
    <Stack gap="md">
      <ParamsForm {...{ chosen, call }} error={write.error} action="Run …" isBusy={write.isPending} onSubmit={open} />
      <ConfirmDialog
        opened={opened}
        onClose={close}
        onConfirm={confirm}
        title={`Run ${nameWrite(chosen)}?`}
        action={`Run ${nameWrite(chosen)}`}
        isBusy={write.isPending}
      >
        <Question chosen={chosen} params={call.value} />
      </ConfirmDialog>
      {write.error !== null && <ErrorBox error={write.error} />}
      {write.data !== undefined && <AnswerView pages={[write.data]} label={nameWrite(chosen)} />}
    </Stack>
  )
}
