import { parse as parseToml } from 'smol-toml'
import { beforeEach, describe, expect, test } from 'vitest'
import { fileClients } from '../../packages/ferrule/src/cli/clients/clients.ts'
import { findPath, type Machine } from '../../packages/ferrule/src/cli/clients/locations.ts'
import { fileClientNames } from '../../packages/ferrule/src/cli/clients/names.ts'
import { type ClientWorld, makeClientWorld } from './mcp-clients-support.ts'

let world: ClientWorld
beforeEach(() => {
  world = makeClientWorld()
})

const fileOf = (name: (typeof fileClientNames)[number], machine: Machine) => findPath(machine, fileClients[name].findUserFile(machine))

describe('the locations', () => {
  const locations = (machine: Partial<Machine>) =>
    Object.fromEntries(fileClientNames.map((name) => [name, fileOf(name, { ...world.machine, ...machine })]))

  test('on Linux, macOS and Windows', () => {
    expect(locations({ platform: 'linux', home: '/home/ada', env: {} })).toEqual({
      'claude-desktop': '/home/ada/.config/Claude/claude_desktop_config.json',
      'claude-code': '/home/ada/.claude.json',
      cursor: '/home/ada/.cursor/mcp.json',
      vscode: '/home/ada/.config/Code/User/mcp.json',
      codex: '/home/ada/.codex/config.toml',
      gemini: '/home/ada/.gemini/settings.json',
    })
    expect(locations({ platform: 'darwin', home: '/Users/ada', env: { XDG_CONFIG_HOME: '/elsewhere' } })).toMatchObject({
      'claude-desktop': '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      vscode: '/Users/ada/Library/Application Support/Code/User/mcp.json',
    })
    const roaming = 'D:\\Roaming'
    expect(locations({ platform: 'win32', home: 'C:\\Users\\ada', env: { APPDATA: roaming } })).toEqual({
      'claude-desktop': 'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-code': 'C:\\Users\\ada\\.claude.json',
      cursor: 'C:\\Users\\ada\\.cursor\\mcp.json',
      vscode: 'D:\\Roaming\\Code\\User\\mcp.json',
      codex: 'C:\\Users\\ada\\.codex\\config.toml',
      gemini: 'C:\\Users\\ada\\.gemini\\settings.json',
    })
    expect(locations({ platform: 'win32', home: 'C:\\Users\\ada', env: {} })['vscode']).toBe(
      'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
    )
  })

  test("follow the clients' own variables", () => {
    const env = { XDG_CONFIG_HOME: '/x', CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/d' }
    expect(locations({ env })).toMatchObject({
      vscode: '/x/Code/User/mcp.json',
      'claude-code': '/c/.claude.json',
      codex: '/d/config.toml',
    })
    expect(locations({ home: '/h', env: { CODEX_HOME: 'relative' } })['codex']).toBe('/h/.codex/config.toml')
  })

  test('Claude Desktop as a package of Windows reads the file of its package only', () => {
    const installed = (names: readonly string[]) => ({
      ...({ ...world.machine, platform: 'win32', home: 'C:\\Users\\ada', env: { LOCALAPPDATA: 'C:\\Local' } } as const),
      listNames: (folder: string) => (folder === 'C:\\Local\\Packages' ? names : []),
    })
    expect(fileOf('claude-desktop', installed(['Other_x', 'Claude_pzs8sxrjxfjjc']))).toBe(
      'C:\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
    )
    expect(() => fileOf('claude-desktop', installed(['Claude_a', 'Claude_b']))).toThrow('several packages: Claude_a and Claude_b')
  })

  test('a Windows path stands in both forms with all its backslashes', async () => {
    const runtime = 'C:\\Program Files\\nodejs\\node.exe'
    const script = 'C:\\Users\\ada\\AppData\\Roaming\\npm\\node_modules\\ferrule\\dist\\cli.js'
    const windows = makeClientWorld({ platform: 'win32', runtime, script })
    const json = JSON.parse((await windows.run('install', 'claude-desktop', { print: true })).stdout)
    const toml = parseToml((await windows.run('install', 'codex', { print: true })).stdout)
    for (const { ferrule } of [json.mcpServers, Object(toml['mcp_servers'])])
      expect([ferrule.command, ferrule.args[0]]).toEqual([runtime, script])
  })

  test('an installation in the cache of npx is named as such', async () => {
    const passing = makeClientWorld({ script: '/home/ada/.npm/_npx/0a1b/node_modules/ferrule/dist/cli.js' })
    expect((await passing.run('install', 'cursor', { yes: true })).notes).toContain('npm install --global ferrule')
  })
})
