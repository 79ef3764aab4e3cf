interface Node {
  readonly type: string
  readonly children?: readonly Node[]
  depth?: number
}

/** The level of the first heading of a text. The page and its prompts have the levels above. */
const FIRST = 3
const LAST = 6

/** A plugin of remark. It gives headings the levels that follow those of the page, without gaps. */
export function nestHeadings(): (tree: Node) => void {
  return (tree) => {
    const above: number[] = []
    for (const node of headingsIn(tree)) {
      const depth = node.depth ?? 1
      while ((above.at(-1) ?? 0) >= depth) above.pop()
      above.push(depth)
      node.depth = Math.min(FIRST - 1 + above.length, LAST)
    }
  }
}

function headingsIn(node: Node): readonly Node[] {
  return node.type === 'heading' ? [node] : (node.children ?? []).flatMap(headingsIn)
}
