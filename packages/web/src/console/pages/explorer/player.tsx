/** Plays audio and video of a vendor. */
import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { isObject, readJson } from 'ferrule/internal'
import { useState } from 'react'
import { useFerrule } from '../../data/ferrule.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Time } from '../../parts/time.tsx'
import type { Operation } from './operation.ts'

/** An address that the browser plays. */
interface Playable {
  readonly url: string
  readonly content_type: string
  readonly expires_at: string
}

/** Shows the browser's own player. */
function Media({ media, label }: { readonly media: Playable; readonly label: string }) {
  const [hasFailed, setHasFailed] = useState(false)
  const shared = { src: media.url, controls: true, 'aria-label': label, onError: () => setHasFailed(true), style: { width: '100%' } }
  return (
    <Stack gap={4}>
      {media.content_type.startsWith('video/') ? <video {...shared} style={{ width: '100%', maxHeight: 480 }} /> : <audio {...shared} />}
      <Text size="sm" role="status">
        {hasFailed ? (
          'The player has stopped: its address has ended, or the vendor does not answer. Play it again.'
        ) : (
          <>
            The player's address ends <Time value={media.expires_at} />.
          </>
        )}
      </Text>
    </Stack>
  )
}

/** Shows the button and, once there is an address, the player. @param props `operation`: the download */
export function Player({ operation }: { readonly operation: Operation }) {
  const ferrule = useFerrule()
  const mutation = useMutation({
    mutationFn: ({ connector, entity, params }: Operation) => {
      const given = readJson(params)
      return ferrule.connectors.media(connector, { entity, params: isObject(given) ? given : {} })
    },
  })
  return (
    <Stack gap="sm">
      <Button variant="default" w="fit-content" loading={mutation.isPending} onClick={() => mutation.mutate(operation)}>
        Play
      </Button>
      {mutation.error !== null && <ErrorBox error={mutation.error} />}
      {mutation.data !== undefined && <Media key={mutation.data.url} media={mutation.data} label={operation.entity} />}
    </Stack>
  )
}
