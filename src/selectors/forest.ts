/** How the members of a tree are connected. Ids are data. */
interface Kinship<Member> {
  /** Absent where nobody can be below the member. */
  idOf(member: Member): string | undefined
  parentOf(member: Member): string | undefined
}

/** Where a member of a tree stands. */
export interface Place<Member> {
  readonly parent: Member | undefined
  /** A `root` has no parent, an `orphan` one that is not there; one in a `cycle` would be below itself, and is cut off. */
  readonly lineage: 'root' | 'child' | 'orphan' | 'cycle'
}

/**
 * Returns the place of each member, parents before their children and siblings in the order of the list. Where a cycle is
 * cut there is a root too, so every member is there once. Without recursion: members may be nested to any depth.
 */
export function topDown<Member>(
  members: readonly Member[],
  { idOf, parentOf }: Kinship<Member>,
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
    placeWithAllBelow(member, parentOf(member) === undefined ? 'root' : 'orphan', { children, places })
  for (const member of members)
    if (!places.has(member)) placeWithAllBelow(firstInCycle(member, parentFor), 'cycle', { children, places })
  return places
}

function firstById<Member>(
  members: readonly Member[],
  idOf: Kinship<Member>['idOf'],
): ReadonlyMap<string | undefined, Member> {
  const byId = new Map<string | undefined, Member>()
  for (const member of members) {
    const id = idOf(member)
    if (id !== undefined && !byId.has(id)) byId.set(id, member)
  }
  return byId
}

/** Up from a member that no root is above: it may hang below the cycle. */
function firstInCycle<Member>(member: Member, parentFor: (member: Member) => Member | undefined): Member {
  const seen = new Set<Member>()
  let at = member
  for (let next = parentFor(at); next !== undefined && !seen.has(at); next = parentFor(at)) {
    seen.add(at)
    at = next
  }
  return at
}

function placeWithAllBelow<Member>(
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
