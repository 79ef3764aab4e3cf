import { MAIN, type SubagentState } from '../state/session.ts'

/** The two functions that connect the members of a tree. */
interface ParentLinks<Member> {
  /** Undefined if the member cannot have children. */
  idOf(member: Member): string | undefined
  parentOf(member: Member): string | undefined
}

/** The place of a member in its tree. */
export interface Place<Member> {
  readonly parent: Member | undefined
  /** A `root` has no parent, and an `orphan` has a parent that is missing. A `cycle` would be below itself, so it is cut off. */
  readonly lineage: 'root' | 'child' | 'orphan' | 'cycle'
}

/** Returns the place of each subagent in the session's tree. */
export function subagentPlaces(
  subagents: readonly SubagentState[],
): ReadonlyMap<SubagentState, Place<SubagentState>> {
  return topDown(subagents, {
    idOf: ({ toolUseId }) => toolUseId,
    // No agent can be the parent under the id of main.
    parentOf: ({ parentConversationId: parent }) => (parent === MAIN ? undefined : parent),
  })
}

/**
 * Returns the place of each member, parents before their children and siblings in the order of the list. A cut cycle adds a root, so
 * each member is included once. It does not recurse, because members may be nested to any depth.
 */
export function topDown<Member>(
  members: readonly Member[],
  { idOf, parentOf }: ParentLinks<Member>,
): ReadonlyMap<Member, Place<Member>> {
  const byId = firstById(members, idOf)
  const parentFor = (member: Member) => byId.get(parentOf(member))
  const children = new Map<Member | undefined, Member[]>()
  for (const member of members) {
    const parent = parentFor(member)
    const siblings = children.get(parent)
    if (siblings) siblings.push(member)
    else children.set(parent, [member])
  }
  const places = new Map<Member, Place<Member>>()
  for (const member of children.get(undefined) ?? [])
    placeSubtree(member, parentOf(member) === undefined ? 'root' : 'orphan', { children, places })
  for (const member of members)
    if (!places.has(member)) placeSubtree(firstInCycle(member, parentFor), 'cycle', { children, places })
  return places
}

function firstById<Member>(
  members: readonly Member[],
  idOf: ParentLinks<Member>['idOf'],
): ReadonlyMap<string | undefined, Member> {
  const byId = new Map<string | undefined, Member>()
  for (const member of members) {
    const id = idOf(member)
    if (id !== undefined && !byId.has(id)) byId.set(id, member)
  }
  return byId
}

/** Walks up to the cycle. The first member without a root above it may itself be below the cycle. */
function firstInCycle<Member>(member: Member, parentFor: (member: Member) => Member | undefined): Member {
  const seen = new Set<Member>()
  let at = member
  for (let next = parentFor(at); next !== undefined && !seen.has(at); next = parentFor(at)) {
    seen.add(at)
    at = next
  }
  return at
}

function placeSubtree<Member>(
  root: Member,
  lineage: Place<Member>['lineage'],
  {
    children,
    places,
  }: {
    readonly children: ReadonlyMap<Member | undefined, readonly Member[]>
    readonly places: Map<Member, Place<Member>>
  },
): void {
  places.set(root, { parent: undefined, lineage })
  const queue = [root]
  for (const parent of queue)
    for (const child of children.get(parent) ?? []) {
      if (places.has(child)) continue
      places.set(child, { parent, lineage: 'child' })
      queue.push(child)
    }
}
