/** Adds connect links, and the operator's applications at vendors. */
import type { ColumnTypes, Migration } from './migration.ts'

const links = ({ id, text, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table connect_links (
    id ${id} primary key,
    organization_id ${id} not null,
    application_id ${id} not null,
    workspace_id ${id} not null,
    digest ${text} not null,
    kinds ${text} not null,
    target_connector_id ${id} references connectors (id) on delete cascade,
    allow_other_account ${flag} not null,
    end_user_id ${text} not null,
    end_user_name ${text},
    end_user_email ${text},
    name ${text},
    defaults ${text} not null,
    locked ${text} not null,
    redirect_url ${text},
    allowed_origin ${text},
    sandbox ${flag} not null,
    attempts ${moment} not null,
    connector_id ${id},
    created_at ${moment} not null,
    expires_at ${moment} not null,
    used_at ${moment},
    revoked_at ${moment},
    unique (id, organization_id),
    foreign key (application_id, organization_id) references grants (application_id, organization_id) on delete cascade,
    foreign key (workspace_id, organization_id) references workspaces (id, organization_id) on delete cascade
  )${end}`,
  'create index connect_links_in_order on connect_links (organization_id, id)',
  'create index connect_links_of_application on connect_links (application_id, organization_id)',
  'create index connect_links_of_workspace on connect_links (workspace_id, organization_id)',
  'create index connect_links_of_target on connect_links (target_connector_id)',
  'create index connect_links_by_end on connect_links (expires_at)',
]

const visits = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table connect_sessions (
    digest ${text} primary key,
    organization_id ${id} not null,
    link_id ${id} not null,
    created_at ${moment} not null,
    expires_at ${moment} not null,
    foreign key (link_id, organization_id) references connect_links (id, organization_id) on delete cascade
  )${end}`,
  'create index connect_sessions_of_link on connect_sessions (link_id, organization_id)',
  'create index connect_sessions_by_end on connect_sessions (expires_at)',
  `create table connect_attempts (
    id ${id} primary key,
    organization_id ${id} not null,
    link_id ${id} not null,
    session_digest ${text} not null references connect_sessions (digest) on delete cascade,
    kind ${text} not null,
    vendor_application_id ${id} not null references vendor_applications (id) on delete cascade,
    state_digest ${text} not null unique,
    cookie_digest ${text} not null,
    configuration ${text} not null,
    name ${text},
    status ${text} not null,
    sealed ${bytes},
    failure ${text},
    created_at ${moment} not null,
    expires_at ${moment} not null,
    foreign key (link_id, organization_id) references connect_links (id, organization_id) on delete cascade
  )${end}`,
  'create index connect_attempts_of_link on connect_attempts (link_id, organization_id)',
  'create index connect_attempts_of_session on connect_attempts (session_digest, id)',
  'create index connect_attempts_of_vendor_application on connect_attempts (vendor_application_id)',
  'create index connect_attempts_by_end on connect_attempts (expires_at)',
]

const vendorApplications = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table vendor_applications (
    id ${id} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    kind ${text} not null,
    fields ${text} not null,
    sealed ${bytes} not null,
    master_key_id ${text} not null,
    created_at ${moment} not null,
    updated_at ${moment} not null,
    unique (organization_id, kind)
  )${end}`,
  'create index vendor_applications_by_master_key on vendor_applications (master_key_id, id)',
  `alter table connectors add column vendor_application_id ${id} references vendor_applications (id) on delete set null`,
  `alter table connectors add column consent_digest ${text}`,
  `alter table connectors add column account ${text}`,
  'create index connectors_of_vendor_application on connectors (vendor_application_id)',
  'create index connectors_of_consent on connectors (organization_id, consent_digest) where consent_digest is not null',
]

const revocations = ({ id, text, bytes, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table consent_revocations (
    id ${id} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    workspace_id ${id} not null,
    connector_id ${id} not null,
    kind ${text} not null,
    configuration ${text} not null,
    sandbox ${flag} not null,
    vendor_application_id ${id} references vendor_applications (id) on delete cascade,
    sealed ${bytes} not null,
    data_key_id ${id} not null,
    failures ${moment} not null,
    not_before ${moment} not null,
    created_at ${moment} not null
  )${end}`,
  'create index consent_revocations_by_time on consent_revocations (not_before)',
  'create index consent_revocations_of_organization on consent_revocations (organization_id)',
  'create index consent_revocations_of_vendor_application on consent_revocations (vendor_application_id)',
]

/**
 * Adds the tables. A secret is stored as a digest only. A connector of a consent refers to the operator's application, and never has a copy
 * of its secret. Foreign keys with the organization prevent rows of two tenants from meeting.
 */
export const connect: Migration = {
  version: 16,
  statements: (types) => [...vendorApplications(types), ...links(types), ...visits(types), ...revocations(types)],
}
