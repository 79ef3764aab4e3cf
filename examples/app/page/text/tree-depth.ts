interface Node {
  readonly type: string
  readonly children?: readonly Node[]
  readonly value?: string
}

/** React draws a tree by recursion, so a deep one overflows the stack. People nest at most a few dozen levels. */
const MAX_DEPTH = 100

/** Whether a tree of text is too deep for the page. */
export function isTooDeep(tree: Node): boolean {
  let level: readonly Node[] = [tree]
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) level = level.flatMap(({ children = [] }) => children)
  return level.length > 0
}

/** A plugin of remark. It shows a text that is too deep as one block of code. */
export function limitDepth(): (tree: Node, source: object) => Node | undefined {
  return (tree, source) =>
    isTooDeep(tree) ? { type: 'root', children: [{ type: 'code', value: String(source) }] } : undefined
}
