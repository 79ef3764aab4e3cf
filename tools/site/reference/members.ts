import ts from 'typescript'
import { commentOf } from './comments.ts'
import { exported, isOfPackage, symbolAt } from './entries.ts'
import { literalsOf, textOf } from './literals.ts'
import { type Signature, signature } from './signature.ts'

/** Returns the fields and methods of an interface, its own first, then those of its bases. */
export function interfaceMembers(node: ts.InterfaceDeclaration): readonly Signature[] {
  return membersOf(node).map((member) => ({ text: documented(member, textOf(member)), nodes: [member] }))
}

/** Returns the public fields and methods of a class. */
export function classMembers(node: ts.ClassDeclaration): readonly Signature[] {
  return node.members.filter(isPublic).map((member) => {
    const { text, nodes } = classMember(member)
    return { text: documented(member, text.replaceAll('\n', '\n  ')), nodes }
  })
}

/** Whether a declaration names the base. The members of a base without an export look like its own, and so does a part of a base. */
export function isShownBase(base: ts.ExpressionWithTypeArguments): boolean {
  const symbol = symbolAt(base.expression)
  return !inheritedFrom(base) || (symbol !== undefined && exported.has(symbol))
}

function membersOf(node: ts.InterfaceDeclaration): readonly ts.TypeElement[] {
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) => [...types])
  const inherited = bases.flatMap((base) => inheritedFrom(base) ?? [])
  return [...node.members, ...without(inherited, node.members.map(nameOf))]
}

/** Returns the members of a base of this package. One with type arguments would have other types in its members. */
function inheritedFrom(base: ts.ExpressionWithTypeArguments): readonly ts.TypeElement[] | undefined {
  const [part, omitted] = base.typeArguments ?? []
  if (!part) return membersNamed(base.expression)
  if (base.expression.getText() !== 'Omit' || !ts.isTypeReferenceNode(part) || !omitted) return undefined
  const names = literalsOf(omitted)?.map((literal) => literal.slice(1, -1)) ?? []
  const members = membersNamed(part.typeName)
  return members && without(members, names)
}

function membersNamed(name: ts.Node): readonly ts.TypeElement[] | undefined {
  const symbol = symbolAt(name)
  if (!symbol || !isOfPackage(symbol)) return undefined
  const node = symbol.declarations?.find(ts.isInterfaceDeclaration)
  return node && membersOf(node)
}

function without(
  members: readonly ts.TypeElement[],
  names: readonly (string | undefined)[],
): readonly ts.TypeElement[] {
  return members.filter((member) => !names.includes(nameOf(member)))
}

function nameOf({ name }: ts.TypeElement): string | undefined {
  return name?.getText()
}

function isPublic(member: ts.ClassElement): boolean {
  const modifiers = ts.getCombinedModifierFlags(member)
  const isHidden = (modifiers & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0
  return !isHidden && !(member.name && ts.isPrivateIdentifier(member.name))
}

function classMember(member: ts.ClassElement): Signature {
  if (ts.isConstructorDeclaration(member)) return signature('constructor', member)
  if (ts.isMethodDeclaration(member)) return signature(member.name.getText(), member)
  if (ts.isGetAccessorDeclaration(member))
    return { text: `readonly ${member.name.getText()}: ${member.type?.getText()}`, nodes: [member] }
  if (ts.isPropertyDeclaration(member))
    return { text: textOf(member).replaceAll('\n  ', '\n'), nodes: [member] }
  throw new Error(`the reference cannot show ${member.getText()}`)
}

function documented(member: ts.Node, text: string): string {
  const comment = commentOf(member)
  return comment ? `${comment.getText()}\n  ${text}` : text
}
