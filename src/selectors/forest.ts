/** How the members of a tree are connected. Ids are data: a parent that is not there, or in a cycle, is none. */
export interface Kinship<Member> {
  idOf(member: Member): string
  parentOf(member: Member): string | undefined
}

/**
 * Returns each member with its parent, parents before their children and siblings in the order of the list. Who can't be
 * reached from a root is a root, so every member is there once. Without recursion: members may be nested to any depth.
 */
export function topDown<Member>(
  members: readonly Member[],
  { idOf, parentOf }: Kinship<Member>,
): ReadonlyMap<Member, Member | undefined> {
  const ids = new Set(members.map(idOf))
  const roots: Member[] = []
  const children = new Map<string, Member[]>()
  for (const member of members) {
    const parent = parentOf(member)
    const siblings = parent === undefined || !ids.has(parent) ? roots : children.get(parent)
    if (siblings) siblings.push(member)
    else if (parent !== undefined) children.set(parent, [member])
  }
  const parents = new Map<Member, Member | undefined>()
  for (const root of [...roots, ...members]) placeWithAllBelow(root, { idOf, children, parents })
  return parents
}

function placeWithAllBelow<Member>(
  root: Member,
  {
    idOf,
    children,
    parents,
  }: {
    readonly idOf: (member: Member) => string
    readonly children: ReadonlyMap<string, readonly Member[]>
    readonly parents: Map<Member, Member | undefined>
  },
): void {
  if (parents.has(root)) return
  parents.set(root, undefined)
  const queue = [root]
  for (const parent of queue)
    for (const child of children.get(idOf(parent)) ?? []) {
      if (parents.has(child)) continue
      parents.set(child, parent)
      queue.push(child)
    }
}
