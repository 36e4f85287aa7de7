/**
 * What six MCP clients send when they register and call, in the order of their members. Looked at in November 2026:
 * - Claude: anthropics/claude-ai-mcp#1043 and anthropics/claude-code#5826, as servers logged it
 * - Cursor: the callbacks that different-ai/openwork#3059 and soflyy/agent-connector-for-wp#111 list
 * - VS Code: `fetchDynamicRegistration` of src/vs/base/common/oauth.ts; it compares the resource of the metadata with the address as a string
 * - ChatGPT: its callbacks, as danielealbano/android-remote-control-mcp#166 lists them; without an authentication method, as older servers logged it
 * - MCP Inspector: its client metadata, with an empty scope
 * - mcp-remote: `clientMetadata` of src/lib/node-oauth-client-provider.ts
 */
import type { Json } from '../http/support.ts'

/** A client. */
export interface RecordedClient {
  readonly name: string
  readonly registration: Json
  /** Where the client waits for its code. */
  readonly redirect: string
  /** Scopes that it asks for; undefined: those of the endpoint's challenge. */
  readonly scope?: string
  /** Name of this machine and end of the address that its user typed. */
  readonly typed: readonly [host: 'localhost' | '127.0.0.1', path: '/mcp' | '/mcp/']
  /** `Accept` of its messages; undefined: it sends none. */
  readonly accept: string | undefined
  /** Origin of its page, for a client in a browser. */
  readonly origin?: string
  /** Revision that it speaks. */
  readonly protocol: string
}

const both = 'application/json, text/event-stream'

/** The clients. */
export const recordedClients: readonly RecordedClient[] = [
  {
    name: 'Claude',
    registration: {
      client_name: 'Claude',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'claudeai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      client_uri: null,
      logo_uri: null,
      contacts: null,
      tos_uri: null,
      policy_uri: null,
      jwks_uri: null,
      jwks: null,
      software_id: null,
      software_version: null,
    },
    redirect: 'https://claude.ai/api/mcp/auth_callback',
    scope: 'claudeai',
    typed: ['127.0.0.1', '/mcp'],
    accept: both,
    protocol: '2025-11-25',
  },
  {
    name: 'Cursor',
    registration: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    },
    redirect: 'cursor://anysphere.cursor-mcp/oauth/callback',
    typed: ['localhost', '/mcp/'],
    accept: both,
    protocol: '2025-06-18',
  },
  {
    name: 'VS Code',
    registration: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      scope: 'connectors:read execute:read',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    redirect: 'http://127.0.0.1:49152/',
    typed: ['localhost', '/mcp'],
    accept: 'text/event-stream, application/json',
    protocol: '2025-11-25',
  },
  {
    name: 'ChatGPT',
    registration: {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect', 'https://chatgpt.com/connector/oauth/AbCdEf'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid offline_access email profile',
    },
    redirect: 'https://chatgpt.com/connector/oauth/AbCdEf',
    scope: 'openid offline_access email profile',
    typed: ['127.0.0.1', '/mcp'],
    accept: '*/*',
    protocol: '2025-06-18',
  },
  {
    name: 'MCP Inspector',
    registration: {
      redirect_uris: ['http://localhost:6274/oauth/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      scope: '',
    },
    redirect: 'http://localhost:6274/oauth/callback',
    typed: ['localhost', '/mcp'],
    accept: both,
    origin: 'http://localhost:6274',
    protocol: '2025-11-25',
  },
  {
    name: 'mcp-remote',
    registration: {
      redirect_uris: ['http://localhost:3334/oauth/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.1.38',
      scope: 'connectors:read execute:read execute:write',
    },
    redirect: 'http://localhost:51111/oauth/callback',
    scope: 'connectors:read execute:read execute:write',
    typed: ['127.0.0.1', '/mcp/'],
    accept: both,
    protocol: '2025-11-25',
  },
]
