import ts from 'typescript'
import { isOfPackage, symbolAt } from './entries.ts'

/** Returns the types of this package that the nodes name, in their order and each once. */
export function mentionedTypes(nodes: readonly ts.Node[]): readonly ts.Symbol[] {
  const found = new Set<ts.Symbol>()
  for (const node of nodes) collect(node, found)
  return [...found]
}

function collect(node: ts.Node, found: Set<ts.Symbol>): void {
  const name = nameIn(node)
  const symbol = name && symbolAt(name)
  if (symbol && isOfPackage(symbol) && !(symbol.flags & ts.SymbolFlags.TypeParameter)) found.add(symbol)
  ts.forEachChild(node, (child) => {
    if (!ts.isBlock(child)) collect(child, found)
  })
}

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
}
