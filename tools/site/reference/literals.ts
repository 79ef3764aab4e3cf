import ts from 'typescript'
import { propertyType, symbolAt } from './entries.ts'

/** Returns the members of a closed list, as the source writes them. Undefined for any other type. */
export function literalsOf(type: ts.TypeNode): readonly string[] | undefined {
  const lists = constituents(type).map((part) => {
    if (ts.isLiteralTypeNode(part)) return [part.getText()]
    return ts.isIndexedAccessTypeNode(part) ? fieldLiterals(part) : keysOf(part)
  })
  return lists.includes(undefined) ? undefined : [...new Set(lists.flatMap((list) => list ?? []))]
}

/** Returns the text of a node, with the values of constants in place of their types. */
export function textOf(node: ts.Node): string {
  let text = node.getText()
  const replaceIn = (child: ts.Node): void => {
    const constant = ts.isTypeQueryNode(child) && initializerOf(child)
    if (constant && ts.isLiteralExpression(constant)) text = text.replace(child.getText(), constant.getText())
    ts.forEachChild(child, replaceIn)
  }
  replaceIn(node)
  return text
}

/** Returns the members of a union in the order of the source, behind the names of other unions. */
function constituents(type: ts.TypeNode): readonly ts.TypeNode[] {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(constituents)
  if (!ts.isTypeReferenceNode(type) || type.typeArguments) return [type]
  const alias = symbolAt(type.typeName)?.declarations?.find(ts.isTypeAliasDeclaration)
  return alias ? constituents(alias.type) : [type]
}

/** Returns the members of a field, such as `SessionEvent['type']`. */
function fieldLiterals({ objectType, indexType }: ts.IndexedAccessTypeNode): readonly string[] | undefined {
  if (!ts.isLiteralTypeNode(indexType) || !ts.isStringLiteral(indexType.literal)) return undefined
  const name = indexType.literal.text
  const lists = constituents(objectType).map((part) => {
    const field = propertyType(part, name)
    return field && literalsOf(field)
  })
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? [])
}

/** Returns the keys of a constant, such as `keyof typeof PLACES`. */
function keysOf(type: ts.TypeNode): readonly string[] | undefined {
  if (!ts.isTypeOperatorNode(type) || !ts.isTypeQueryNode(type.type)) return undefined
  const constant = initializerOf(type.type)
  if (!constant || !ts.isObjectLiteralExpression(constant)) return undefined
  return constant.properties.map(({ name }) => `'${name?.getText().replaceAll("'", '')}'`)
}

function initializerOf({ exprName }: ts.TypeQueryNode): ts.Expression | undefined {
  return symbolAt(exprName)?.declarations?.find(ts.isVariableDeclaration)?.initializer
}
