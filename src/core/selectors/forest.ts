import { addToList } from '../json/lists.ts'
import {
  MAIN,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
} from '../state/session.ts'

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

/** The place of a subagent. The indexes are those of the state's list. */
export interface SubagentPlace {
  readonly index: number
  /** The parent's index. Undefined for main, or if the parent is not known. */
  readonly parent: number | undefined
  readonly lineage: Place<unknown>['lineage']
}

/** Returns the places of the subagents, parents before their children. As long as no subagent starts or moves, it is the same list. */
export function subagentPlaces({ subagents, session }: SessionConversationState): readonly SubagentPlace[] {
  const known = structures.get(session)
  if (known && hasStructure(subagents, known)) return known.places
  const places = topDown([...subagents.keys()], {
    idOf: (index) => subagents[index]?.toolUseId,
    parentOf: (index) => startedBy(subagents[index]),
  })
  const structure = {
    ids: subagents.map(({ toolUseId }) => toolUseId),
    parents: subagents.map(startedBy),
    places: [...places].map(([index, { parent, lineage }]) => ({ index, parent, lineage })),
  }
  structures.set(session, structure)
  return structure.places
}

/** The ids that the places follow from. */
interface Structure {
  readonly ids: readonly string[]
  readonly parents: readonly (string | undefined)[]
  readonly places: readonly SubagentPlace[]
}

/** The key is the facts of the session, because most events do not change them. */
const structures = /* @__PURE__ */ new WeakMap<SessionFacts, Structure>()

function hasStructure(subagents: readonly SubagentState[], { ids, parents }: Structure): boolean {
  if (subagents.length !== ids.length) return false
  return subagents.every(
    (subagent, at) => subagent.toolUseId === ids[at] && startedBy(subagent) === parents[at],
  )
}

/** No agent can be the parent under the id of main. */
function startedBy(subagent: SubagentState | undefined): string | undefined {
  const parent = subagent?.parentConversationId
  return parent === MAIN ? undefined : parent
}

/**
 * Returns the place of each member, parents before their children and siblings in the order of the list. A cut cycle
 * adds a root, so each member is included once. It does not recurse, because members may be nested to any depth.
 */
export function topDown<Member>(
  members: readonly Member[],
  { idOf, parentOf }: ParentLinks<Member>,
): ReadonlyMap<Member, Place<Member>> {
  const byId = firstById(members, idOf)
  const parentFor = (member: Member) => byId.get(parentOf(member))
  const children = new Map<Member | undefined, Member[]>()
  for (const member of members) addToList(children, parentFor(member), member)
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
