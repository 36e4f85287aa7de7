/** Makes the text of a new kind from a document of the vendor, and lists what the text cannot say. */
import { Anchor, Button, FileInput, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type KindImport, largestDocument } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printCounted, printSize } from '../../parts/print.ts'
import { Section } from '../../parts/section.tsx'

/** A kind file that was made. */
export interface MadeKind extends KindImport {
  readonly slug: string
}

/** Makes a slug of the name of a file: `Acme.openapi.json` → `acme`. */
const toSlug = (name: string): string =>
  (name.split('.', 1)[0] ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)

/** Shows the form. */
function ImportForm({ onMade }: { readonly onMade: (made: MadeKind) => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [slug, setSlug] = useState('')
  const [api, setApi] = useState('')
  const [only, setOnly] = useState('')
  const names = only.split(',').flatMap((name) => name.trim() || [])
  const conversion = useWrite(
    async (ferrule, document: File): Promise<MadeKind> => {
      const options = { ...(api === '' ? {} : { api }), ...(names.length === 0 ? {} : { only: names }) }
      return { slug, ...(await ferrule.kinds.importDocument({ kind: slug, document: await document.text(), ...options })) }
    },
    { onDone: onMade },
  )
  const isTooLarge = file !== null && file.size > largestDocument
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file !== null && !isTooLarge && !conversion.isPending) conversion.mutate(file)
  }
  return (
    <Stack component="form" onSubmit={submit} aria-label="Import a document">
      <FileInput
        label="Document"
        description="OpenAPI, the manifest of a low-code connector, or a schema of GraphQL"
        placeholder="Choose a file"
        value={file}
        onChange={(chosen) => {
          setFile(chosen)
          if (chosen !== null && slug === '') setSlug(toSlug(chosen.name))
        }}
        error={isTooLarge && `It is larger than ${printSize(largestDocument)}: ferrule kind new takes it.`}
        data-autofocus
        required
      />
      <TextInput
        label="Short name"
        description="Names the kind in programs: small letters, digits and dashes"
        value={slug}
        onChange={({ currentTarget }) => setSlug(currentTarget.value)}
        pattern="[a-z][a-z0-9\-]{1,39}"
        autoComplete="off"
        required
      />
      <TextInput
        label="Address of the API"
        description="In place of that of the document. A schema of GraphQL says none"
        placeholder="https://api.acme.example"
        value={api}
        onChange={({ currentTarget }) => setApi(currentTarget.value)}
        autoComplete="off"
      />
      <TextInput
        label="Only these entities or tags"
        description="With commas between them; all if empty"
        value={only}
        onChange={({ currentTarget }) => setOnly(currentTarget.value)}
        autoComplete="off"
      />
      {conversion.error !== null && <ErrorBox error={conversion.error} title="The document was not imported" />}
      <Group justify="flex-end">
        <Button type="submit" loading={conversion.isPending} disabled={file === null || isTooLarge}>
          Import
        </Button>
      </Group>
    </Stack>
  )
}

/** Shows the button. @param props `onMade`: receives the text */
export function ImportButton({ onMade }: { readonly onMade: (made: MadeKind) => void }) {
  const [opened, { open, close }] = useDisclosure(false)
  const take = (made: MadeKind) => {
    close()
    announce(`The editor has ${printCounted(made.entities, 'entity', 'entities')} of the document.`)
    onMade(made)
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        Import a document
      </Button>
      <Modal opened={opened} onClose={close} title="Import a document" centered>
        <ImportForm onMade={take} />
      </Modal>
    </>
  )
}

/** Most parts that are listed at first. */
const mostListed = 20

/** Lists what an import left out. */
export function LeftOut({ parts }: { readonly parts: KindImport['left_out'] }) {
  const [isWhole, setWhole] = useState(false)
  if (parts.length === 0) return null
  return (
    <Section title={`Left out (${parts.length})`} about="Parts of the document that the file cannot say.">
      <List size="sm" spacing={4} style={{ overflowWrap: 'anywhere' }}>
        {(isWhole ? parts : parts.slice(0, mostListed)).map(({ what, why }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and a part can be left out twice
          <List.Item key={index}>
            <strong>{what}</strong>: {why}
          </List.Item>
        ))}
      </List>
      {parts.length > mostListed && !isWhole && (
        <Text size="sm">
          <Anchor component="button" type="button" size="sm" underline="always" onClick={() => setWhole(true)}>
            Show all {parts.length}
          </Anchor>
        </Text>
      )}
    </Section>
  )
}
