/** Fields that all connect links have. */
import { Group, NativeSelect, TextInput } from '@mantine/core'
import { connectLinkSeconds, mostNameCharacters } from 'ferrule/wire'
import { bindText } from '../../parts/form/text-entry.ts'
import type { DraftProps } from './link-draft.ts'

/** Lifetimes to choose from, in seconds. */
const lifetimes = [
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [connectLinkSeconds.usual, '7 days'],
  [30 * 86_400, '30 days'],
  [connectLinkSeconds.most, '90 days'],
] as const

/** Shows who the link is for. */
export function EndUserFields(props: DraftProps) {
  return (
    <>
      <TextInput
        label="Id of the end user"
        description="As your own system names the person. You read it again when you verify the link."
        maxLength={256}
        required
        {...bindText(props, 'userId', '/end_user/id')}
      />
      <Group grow align="flex-start">
        <TextInput label="Name of the end user" maxLength={mostNameCharacters} {...bindText(props, 'userName', '/end_user/name')} />
        <TextInput label="Email address" type="email" maxLength={320} {...bindText(props, 'userEmail', '/end_user/email')} />
      </Group>
    </>
  )
}

/** Shows where the page leads afterwards, and how long the link lives. */
export function WayBackFields(props: DraftProps) {
  return (
    <>
      <TextInput
        label="Address to lead back to"
        description="Its origin has to be in FERRULE_CONNECT_REDIRECTS."
        placeholder="https://app.example.com/connected"
        {...bindText(props, 'redirectUrl', '/redirect_url')}
      />
      <TextInput
        label="Origin of the page that opens the link"
        description="For a popup. It has to be in FERRULE_CONNECT_ORIGINS."
        placeholder="https://app.example.com"
        {...bindText(props, 'allowedOrigin', '/allowed_origin')}
      />
      <NativeSelect
        label="Lifetime"
        data={lifetimes.map(([seconds, label]) => ({ value: String(seconds), label }))}
        value={String(props.entered.seconds)}
        onChange={({ currentTarget }) => props.set({ seconds: Number(currentTarget.value) })}
      />
    </>
  )
}
