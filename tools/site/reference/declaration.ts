import ts from 'typescript'
import { descriptionOf, wrapComments } from './comments.ts'
import { literalsOf, textOf } from './literals.ts'
import { classMembers, interfaceMembers, isShownBase } from './members.ts'
import { generics, type Signature, signature, WIDTH } from './signature.ts'

/** A declaration as the reference shows it: without bodies, private members and default values. */
export interface ShownDeclaration extends Signature {
  /** The text of its TSDoc comment, which is Markdown. */
  readonly description: string
}

/** Returns the declarations of a symbol. A function with overloads has one for each, without the implementation. */
export function declarationsOf({ declarations = [] }: ts.Symbol): readonly ShownDeclaration[] {
  const hasOverloads = declarations.length > 1
  return declarations
    .filter((node) => !(hasOverloads && ts.isFunctionDeclaration(node) && node.body))
    .map((node) => {
      const { text, nodes } = shown(node)
      return { description: descriptionOf(node), text: wrapComments(text), nodes }
    })
}

function shown(node: ts.Declaration): Signature {
  if (ts.isFunctionDeclaration(node)) return signature(`function ${node.name?.text}`, node)
  if (ts.isVariableDeclaration(node)) return constant(node)
  if (ts.isTypeAliasDeclaration(node)) return alias(node)
  if (ts.isInterfaceDeclaration(node)) return withMembers('interface', node, interfaceMembers(node))
  if (ts.isClassDeclaration(node)) return withMembers('class', node, classMembers(node))
  throw new Error(`the reference cannot show ${node.getText()}`)
}

/** A constant without a type is a literal. */
function constant({ name, type, initializer }: ts.VariableDeclaration): Signature {
  if (type) return { text: `const ${name.getText()}: ${textOf(type)}`, nodes: [type] }
  return { text: `const ${name.getText()} = ${initializer?.getText()}`, nodes: [] }
}

function alias(node: ts.TypeAliasDeclaration): Signature {
  const literals = literalsOf(node.type)
  if (!literals) return { text: textOf(node).replace(/^export /, ''), nodes: [node] }
  const line = `type ${node.name.text} = ${literals.join(' | ')}`
  return {
    text:
      line.length <= WIDTH
        ? line
        : `type ${node.name.text} =${literals.map((each) => `\n  | ${each}`).join('')}`,
    nodes: ts.isUnionTypeNode(node.type) ? node.type.types.filter(ts.isTypeReferenceNode) : [],
  }
}

function withMembers(
  keyword: string,
  node: ts.InterfaceDeclaration | ts.ClassDeclaration,
  members: readonly Signature[],
): Signature {
  // Such a type has no members for its users.
  if (descriptionOf(node).includes('Treat it as opaque.'))
    return { text: `${keyword} ${node.name?.text} { /* opaque */ }`, nodes: [] }
  const bases = (node.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => types.filter(isShownBase))
  const heritage = bases.length > 0 ? ` extends ${bases.map((base) => base.getText()).join(', ')}` : ''
  const body = members.map(({ text }) => `  ${text}\n`).join('')
  return {
    text: `${keyword} ${node.name?.text}${generics(node)}${heritage} {\n${body}}`,
    nodes: [...(node.typeParameters ?? []), ...bases, ...members.flatMap(({ nodes }) => nodes)],
  }
}
