/** Reads the body of a new link: what it is for, and how its page behaves. */
import type { Problem } from 'ferrule'
import { failValidation } from 'ferrule/internal'
import { type ConnectLinkInput, connectLinkInput, oauthInitiateInput } from 'ferrule/wire'
import { everyonesWorkspace } from '../../tenancy/workspaces/workspace-keeper.ts'
import { readBody } from '../../values/read.ts'
import { findWorkspaceName } from '../../values/workspace-names.ts'
import type { Catalogue } from '../connector-types.ts'
import { type AddressSettings, readAllowedOrigin, readRedirect, requireOwnAddress } from './addresses.ts'
import { readValuesByKind } from './link-values.ts'

const problem = (field: string, message: string, error_code: string): Problem => ({ field, message, error_code })

/** Members that a link for a connector takes from the connector. */
const ofTheConnector = ['workspace_name', 'workspace_id', 'create_workspace', 'kinds', 'name', 'defaults', 'locked', 'sandbox'] as const

function checkMembers(body: ConnectLinkInput, isSandboxOn: boolean): void {
  const problems: Problem[] = []
  if (body.connector_id !== undefined)
    for (const name of ofTheConnector)
      if (body[name] !== undefined) problems.push(problem(`/${name}`, 'cannot be given with connector_id', 'conflict'))
  if (body.connector_id === undefined && body.allow_other_account !== undefined)
    problems.push(problem('/allow_other_account', 'needs connector_id', 'conflict'))
  if (body.workspace_id !== undefined && body.workspace_name !== undefined)
    problems.push(problem('/workspace_id', 'is given by workspace_name too', 'conflict'))
  if (body.sandbox === true && !isSandboxOn)
    problems.push(problem('/sandbox', 'cannot be true: this service runs without the sandbox (FERRULE_SANDBOX)', 'sandbox'))
  if (problems.length > 0) throw failValidation(problems)
}

/** What bodies are read with. */
export interface LinkReading {
  readonly settings: AddressSettings & { readonly sandbox: boolean }
  readonly catalogue: Catalogue
}

/** A checked body. Workspace and connector are not looked up yet. */
export type WantedLink = ReturnType<typeof readLinkInput>

/** Reads the body of a new link. @throws FerruleError `not_offered`, `validation_failed`, `connector_type_not_found` */
export function readLinkInput({ settings, catalogue }: LinkReading, given: unknown) {
  requireOwnAddress(settings)
  const body: ConnectLinkInput = readBody(connectLinkInput, given)
  checkMembers(body, settings.sandbox)
  const named = body.kinds ?? catalogue.list().map(({ connector_type }) => connector_type)
  const kinds = [...new Set(named.map((each) => catalogue.getKind(each).definition.kind))]
  return {
    body,
    kinds,
    defaults: readValuesByKind({ catalogue, kinds }, body.defaults, 'defaults'),
    locked: readValuesByKind({ catalogue, kinds }, body.locked, 'locked'),
    redirectUrl: readRedirect(settings, body.redirect_url),
    allowedOrigin: readAllowedOrigin(settings, body.allowed_origin),
  }
}

/** Turns the body of an authorization in a browser into that of a link. @throws FerruleError `validation_failed` */
export function toLinkInput(catalogue: Catalogue, given: unknown): ConnectLinkInput {
  const body = readBody(oauthInitiateInput, given)
  const named = body.connector_type ?? body.definition_id ?? body.source_template_id
  if (named === undefined) throw failValidation([problem('/connector_type', 'is required, or definition_id in its place', 'required')])
  const { kind } = catalogue.getKind(named).definition
  const { sandbox, ...variables } = body.environment ?? {}
  if (sandbox !== undefined && typeof sandbox !== 'boolean')
    throw failValidation([problem('/environment/sandbox', 'must be true or false', 'type')])
  const workspace = findWorkspaceName(body) ?? everyonesWorkspace
  return {
    workspace_name: workspace,
    kinds: [kind],
    end_user: { id: workspace },
    locked: { [kind]: { ...variables, ...body.replication_config, ...body.oauth_input_configuration } },
    redirect_url: body.redirect_url,
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}
