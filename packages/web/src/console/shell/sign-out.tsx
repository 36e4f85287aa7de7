/** Ends the session: here, or in all browsers. */
import { Button, Menu } from '@mantine/core'
import { signOut } from '../data/sign-out.ts'

/** Shows the menu. */
export function SignOut() {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">Sign out</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => signOut({ isEverywhere: false })}>Sign out here</Menu.Item>
        <Menu.Item onClick={() => signOut({ isEverywhere: true })}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
