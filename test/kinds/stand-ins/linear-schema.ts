/** Linear's types and roots, by its public schema: https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql */
import * as kit from './shared.ts'

/** Types with the fields that are played: values, relations, and what a filter takes. */
export const types = kit.readTable(`
type | values | relations | filter
Issue | id identifier number title description priority priorityLabel estimate branchName url sortOrder dueDate labelIds trashed startedAt completedAt canceledAt createdAt updatedAt archivedAt | team:Team state:WorkflowState assignee:User creator:User project:Project cycle:Cycle parent:Issue | id number title priority createdAt updatedAt archivedAt completedAt dueDate team state assignee project cycle
Project | id name description content slugId url color icon priority priorityLabel progress scope health startDate targetDate startedAt completedAt canceledAt labelIds trashed createdAt updatedAt archivedAt | status:ProjectStatus lead:User creator:User | id name createdAt updatedAt completedAt lead health
Team | id key name displayName description icon color timezone visibility cyclesEnabled triageEnabled createdAt updatedAt archivedAt retiredAt | parent:Team | id key name createdAt updatedAt retiredAt
User | id name displayName email active admin guest app owner title description timezone avatarUrl url lastSeen statusLabel createdAt updatedAt archivedAt isMe | | id name email active admin createdAt updatedAt
Comment | id body url quotedText issueId parentId projectId editedAt resolvedAt createdAt updatedAt archivedAt | user:User issue:Issue parent:Comment | id body createdAt updatedAt issue user
Cycle | id number name description startsAt endsAt completedAt progress isActive isFuture isPast createdAt updatedAt archivedAt | team:Team | id number name startsAt endsAt createdAt updatedAt isActive team
IssueLabel | id name description color isGroup lastAppliedAt retiredAt createdAt updatedAt archivedAt | team:Team parent:IssueLabel creator:User | id name isGroup createdAt updatedAt team
WorkflowState | id name description color type position createdAt updatedAt archivedAt | team:Team | id name type createdAt updatedAt team
ProjectStatus | id name type color | |
Organization | id name urlKey logoUrl userCount createdIssueCount createdAt updatedAt | |
PageInfo | hasNextPage endCursor hasPreviousPage startCursor | |`)

/** Fields of the schema's roots with their arguments; what a mutation answers, its input and what that takes. */
const page = 'after:String before:String first:Int last:Int includeArchived:Boolean orderBy:PaginationOrderBy'
export const roots = kit.readTable(`
field | type | arguments | input | answers
issues | Issue | ${page} filter:IssueFilter sort:[IssueSortInput!]
projects | Project | ${page} filter:ProjectFilter sort:[ProjectSortInput!]
teams | Team | ${page} filter:TeamFilter
users | User | ${page} filter:UserFilter includeDisabled:Boolean
comments | Comment | ${page} filter:CommentFilter
cycles | Cycle | ${page} filter:CycleFilter
issueLabels | IssueLabel | ${page} filter:IssueLabelFilter
workflowStates | WorkflowState | ${page} filter:WorkflowStateFilter
viewer | User |
organization | Organization |
issueCreate | Issue | input:IssueCreateInput! | teamId! id title description stateId assigneeId projectId cycleId parentId labelIds priority estimate dueDate | issue
issueUpdate | Issue | id:String! input:IssueUpdateInput! | title description teamId stateId assigneeId projectId cycleId parentId labelIds priority estimate dueDate trashed | issue
issueArchive | Issue | id:String! trash:Boolean | | entity
issueDelete | Issue | id:String! permanentlyDelete:Boolean | | entity
projectCreate | Project | input:ProjectCreateInput! slackChannelName:String | name! teamIds! id description content statusId leadId priority startDate targetDate color icon labelIds memberIds | project
projectUpdate | Project | id:String! input:ProjectUpdateInput! | name teamIds description content statusId leadId priority startDate targetDate color icon labelIds trashed | project
projectDelete | Project | id:String! | | entity
commentCreate | Comment | input:CommentCreateInput! | id body issueId parentId projectId quotedText | comment
commentUpdate | Comment | id:String! input:CommentUpdateInput! skipEditedAt:Boolean | body quotedText | comment
commentDelete | Comment | id:String! | | entityId
issueLabelCreate | IssueLabel | input:IssueLabelCreateInput! replaceTeamLabels:Boolean | name! id description color teamId parentId isGroup | issueLabel
issueLabelUpdate | IssueLabel | id:String! input:IssueLabelUpdateInput! replaceTeamLabels:Boolean | name description color parentId isGroup | issueLabel
issueLabelDelete | IssueLabel | id:String! | | entityId`)

for (const [name, root] of roots) // issue(id) beside issues
  if (root['arguments']?.startsWith('after')) roots.set(name.slice(0, -1), { type: root['type'] ?? '', arguments: 'id:String!' })
