/** Ends the session: here, or in all browsers. The answer is a page of the service, so these are plain forms. */
import { Button, Menu } from '@mantine/core'
import { useRef } from 'react'
import { consolePath } from '../data/page-facts.ts'

/** Shows the menu. */
export function SignOut() {
  const form = useRef<HTMLFormElement>(null)
  const everywhere = useRef<HTMLInputElement>(null)
  const submit = (isEverywhere: boolean) => {
    if (everywhere.current !== null) everywhere.current.value = isEverywhere ? '1' : ''
    form.current?.submit()
  }
  return (
    <>
      <form ref={form} method="post" action={`${consolePath}/session/end`} hidden>
        <input ref={everywhere} type="hidden" name="everywhere" />
      </form>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">Sign out</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => submit(false)}>Sign out here</Menu.Item>
          <Menu.Item onClick={() => submit(true)}>Sign out everywhere</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
