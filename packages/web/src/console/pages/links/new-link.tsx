/** The form of a new connect link. */
import { Button, Group, Paper, Stack } from '@mantine/core'
import type { ConnectLinkInput } from 'ferrule/wire'
import type { FormEvent } from 'react'
import { useAddressParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { listProblems, printProblemsWithin } from '../../parts/form/problems.ts'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { EndUserFields, WayBackFields } from './common-fields.tsx'
import { ConfigurationFields } from './configuration-fields.tsx'
import { printLink, useLinkDraft } from './link-draft.ts'
import { PurposeFields, unchosen } from './purpose-fields.tsx'

/** Shows the form and, after a success, the address of the link, this once. */
export function NewLink() {
  const [{ connector }, change] = useAddressParams('new', 'connector', 'kind')
  const draft = useLinkDraft()
  const creation = useWrite((ferrule, body: ConnectLinkInput) => ferrule.links.create(body), {
    refreshes: [['links'], ['workspaces']],
    onDone: () => draft.keep(),
  })
  const problems = listProblems(creation.error)
  const props = { ...draft, errorAt: (pointer: string) => printProblemsWithin(problems, pointer) }
  const leave = () => {
    draft.keep()
    change({ new: undefined, connector: undefined, kind: undefined })
  }
  const forget = () => {
    creation.reset()
    leave()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!creation.isPending) creation.mutate(printLink(draft.entered, connector))
  }
  return (
    <Paper component="form" withBorder p="md" onSubmit={submit} aria-label="New link">
      <Section title="New link">
        <Stack maw={640}>
          <PurposeFields {...props} />
          <EndUserFields {...props} />
          {connector === undefined && <ConfigurationFields {...draft} problems={problems} />}
          <WayBackFields {...props} />
          {creation.error !== null && <ErrorBox error={creation.error} title="The link was not created" />}
          <Group>
            <Button type="submit" loading={creation.isPending} disabled={draft.entered.userId.trim() === '' || connector === unchosen}>
              Create the link
            </Button>
            <Button variant="default" onClick={leave}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </Section>
      <SecretDialog
        title="The address of the link"
        texts={creation.data && [{ label: `Address for ${creation.data.end_user.id}`, value: creation.data.url }]}
        onClose={forget}
      >
        Send it to the end user, whole: the part after # opens it. It can be opened again until it is used, revoked or expired.
      </SecretDialog>
    </Paper>
  )
}
