import { showDirections } from '../../../../src/sinks/markdown/text/lines.ts'

interface Node {
  readonly children?: readonly Node[]
  value?: string
  alt?: string | null
}

/** A plugin of remark. It shows the marks of directions that a text names by references, such as `&rlm;`. */
export function visibleDirections(): (tree: Node) => void {
  return function show(node) {
    if (node.value) node.value = showDirections(node.value)
    if (node.alt) node.alt = showDirections(node.alt)
    node.children?.forEach(show)
  }
}
