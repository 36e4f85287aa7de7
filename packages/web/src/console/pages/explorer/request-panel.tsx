/** Sends a request of the reader's own to the vendor, and makes the lines of an operation of it. */
import { Alert, Button, Code, Group, NativeSelect, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { ConnectorRecord, VendorAnswer, VendorRequest } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { useWrite } from '../../data/write.ts'
import { JsonEditor } from '../../parts/code/json-editor.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import type { Schema } from '../../parts/form/schema.ts'
import { bindValue } from '../../parts/form/text-entry.ts'
import { JsonView } from '../../parts/json/json-view.tsx'
import { Strong, WriteButton } from '../../parts/looks.tsx'
import { useExplorerAddress } from './address.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const hasBody = (method: VendorRequest['method']): boolean => ['POST', 'PUT', 'PATCH'].includes(method)

interface Sent {
  readonly method: VendorRequest['method']
  readonly path: string
  readonly query: Schema
  readonly body: Schema | undefined
}

/** Reads a path with its query, as the vendor's pages write both. A name that stands twice has a list. */
function readTarget(text: string): Pick<Sent, 'path' | 'query'> {
  const at = text.includes('?') ? text.indexOf('?') : text.length
  const search = new URLSearchParams(text.slice(at + 1))
  const read = (name: string) => (search.getAll(name).length === 1 ? search.get(name) : search.getAll(name))
  return { path: text.slice(0, at), query: Object.fromEntries([...new Set(search.keys())].map((name) => [name, read(name)])) }
}

/** Shows the lines of an operation for the file of the kind. */
function OperationLines({ sent, answer: { data, meta } }: { readonly sent: Sent; readonly answer: VendorAnswer }) {
  const making = useMutation({
    mutationFn: async () => {
      const { writeOperation } = await import('ferrule/import')
      return writeOperation({ ...sent, answer: data, headers: meta.headers })
    },
  })
  return (
    <>
      <Group>
        <WriteButton write={making}>Make an operation of it</WriteButton>
      </Group>
      {making.error !== null && (
        <Alert color="yellow" variant="light" title="It fits no operation" role="alert">
          {making.error.message}
        </Alert>
      )}
      {making.data !== undefined && (
        <Stack gap="xs">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm">Put these lines into the file of the kind. One answer does not say everything: see what is unsure.</Text>
            <CopyButton value={making.data} says="Copy the lines" />
          </Group>
          <Code block tabIndex={0} mah={420} aria-label="Lines of the operation">
            {making.data}
          </Code>
        </Stack>
      )}
    </>
  )
}

function AnswerPart({ sent, answer }: { readonly sent: Sent; readonly answer: VendorAnswer }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Answer
      </Title>
      <Text size="sm" role="status">
        The vendor answered with status {answer.meta.status}.
      </Text>
      <JsonView label="Answer of the vendor" value={answer.data} depth={3} />
      <OperationLines sent={sent} answer={answer} />
    </Stack>
  )
}

/** Asks before something that can write. */
export function WriteQuestion({ connector }: { readonly connector: ConnectorRecord }) {
  return (
    <Text size="sm">
      It happens in the account of the connector {connector.name}
      {connector.environment.sandbox ? ', which is the sandbox' : ''}. What the vendor has changed cannot be undone here.
    </Text>
  )
}

/** Keeps what is entered; method and path are in the address once they were sent. */
function useRequest({ id }: ConnectorRecord) {
  const [address, change] = useExplorerAddress()
  const [method, setMethod] = useState<Sent['method']>(methods.find((each) => each === address.method) ?? 'GET')
  const [target, setTarget] = useState(address.path ?? '')
  const [body, setBody] = useState<Schema>({})
  const keep = useChanges({ target, body }, ['connector', 'entity'])
  const sending = useWrite(async (ferrule, sent: Sent) => ({ sent, answer: await ferrule.connectors.request(id, sent) }))
  const send = () => {
    keep()
    change({ method, path: target }, { replace: true })
    sending.mutate({ method, ...readTarget(target), body: hasBody(method) && Object.keys(body).length > 0 ? body : undefined })
  }
  return { method, setMethod, target, setTarget, body, setBody, sending, send }
}

/** Shows the form, and below it what came back. */
export function RequestPanel({ connector }: { readonly connector: ConnectorRecord }) {
  const { method, setMethod, target, setTarget, body, setBody, sending, send } = useRequest(connector)
  const [opened, { open, close }] = useDisclosure(false)
  const submit = () => {
    if (sending.isPending) return
    if (method === 'GET') send()
    else open()
  }
  return (
    <Stack gap="md">
      <Paper
        withBorder
        p="md"
        component="form"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="md">
          <Title order={2} size="h4">
            Request of your own
          </Title>
          <Text size="sm">
            For what no operation offers. It goes to the vendor with the credentials of the connector, and in its budget.
          </Text>
          <NativeSelect
            label="Method"
            data={methods}
            {...bindValue(method, (next) => setMethod(methods.find((each) => each === next) ?? 'GET'))}
          />
          <TextInput
            label="Path"
            description="Below the address of the vendor's API, with its query"
            placeholder="/customers?limit=10"
            {...bindValue(target, setTarget)}
            maxLength={2_000}
            autoComplete="off"
            spellCheck={false}
            required
          />
          {hasBody(method) && (
            <div>
              <Strong>Body</Strong>
              <Text size="xs">An empty object is not sent</Text>
              <JsonEditor label="Body" value={body} onChange={setBody} onSubmit={submit} />
            </div>
          )}
          <Group>
            <Button type="submit" loading={sending.isPending}>
              {method === 'GET' ? 'Send' : 'Send …'}
            </Button>
          </Group>
        </Stack>
      </Paper>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        onConfirm={() => {
          close()
          send()
        }}
        title={`Send ${method} ${readTarget(target).path}?`}
        action={`Send ${method}`}
      >
        <WriteQuestion connector={connector} />
      </ConfirmDialog>
      <ErrorBox error={sending.error} />
      {sending.data !== undefined && <AnswerPart key={sending.submittedAt} {...sending.data} />}
    </Stack>
  )
}
