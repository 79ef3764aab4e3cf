import ts from 'typescript'
import { commentOf } from './comments.ts'
import { exported, isOfPackage, symbolAt } from './entries.ts'
import { textOf } from './literals.ts'
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

/** Whether a declaration names the base. The members of a base that no entry point exports look like its own. */
export function isShownBase(base: ts.ExpressionWithTypeArguments): boolean {
  const symbol = symbolAt(base.expression)
  return !baseOf(base) || (symbol !== undefined && exported.has(symbol))
}

function membersOf(node: ts.InterfaceDeclaration): readonly ts.TypeElement[] {
  const names = new Set(node.members.map((member) => member.name?.getText()))
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap((base) => baseOf(base) ?? []),
  )
  const inherited = bases.flatMap(membersOf).filter((member) => !names.has(member.name?.getText()))
  return [...node.members, ...inherited]
}

/** Returns the interface of this package that a declaration extends. One with type arguments would have other types in its members. */
function baseOf(base: ts.ExpressionWithTypeArguments): ts.InterfaceDeclaration | undefined {
  const symbol = symbolAt(base.expression)
  if (!symbol || base.typeArguments || !isOfPackage(symbol)) return undefined
  return symbol.declarations?.find(ts.isInterfaceDeclaration)
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
