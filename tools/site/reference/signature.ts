import ts from 'typescript'
import { typeOf } from './entries.ts'

/** The columns of a line of code that GitHub shows without scrolling. */
export const WIDTH = 100

/** A piece of code, and its parts that may name other types. */
export interface Signature {
  readonly text: string
  readonly nodes: readonly ts.Node[]
}

/** Returns a function, a method or a constructor without its body. */
export function signature(name: string, node: ts.SignatureDeclaration): Signature {
  const head = name + generics(node)
  const parameters = node.parameters.map(parameterText)
  const result = node.type ? `: ${node.type.getText()}` : ''
  const line = `${head}(${parameters.join(', ')})${result}`
  return {
    text:
      line.length <= WIDTH
        ? line
        : `${head}(\n${parameters.map((each) => `  ${each},\n`).join('')})${result}`,
    nodes: [...(node.typeParameters ?? []), ...node.parameters, ...(node.type ? [node.type] : [])],
  }
}

/** Returns the type parameters of a declaration in angle brackets, if it has some. */
export function generics({
  typeParameters = ts.factory.createNodeArray(),
}: ts.DeclarationWithTypeParameterChildren): string {
  return typeParameters.length > 0 ? `<${typeParameters.map((each) => each.getText()).join(', ')}>` : ''
}

function parameterText(parameter: ts.ParameterDeclaration): string {
  const { dotDotDotToken, initializer, questionToken, type } = parameter
  const mark = initializer || questionToken ? '?' : ''
  const typeText = type ? indented(type.getText()) : typeOf(parameter)
  return `${dotDotDotToken ? '...' : ''}${parameterName(parameter)}${mark}: ${typeText}`
}

/** Indents a type of several lines, so that its last line is below the parameter. */
function indented(type: string): string {
  const [indent = ''] = /^ *(?=\S+$)/m.exec(type.slice(type.lastIndexOf('\n') + 1)) ?? []
  return type.replaceAll(`\n${indent}`, '\n  ')
}

/** A parameter that the function takes apart has the last word of its type as its name, such as `options`. */
function parameterName({ name, type }: ts.ParameterDeclaration): string {
  if (ts.isIdentifier(name)) return name.text
  const [, word = 'options'] = /^(?:Pick<)?\w*?([A-Z][a-z]*)(?:Of)?\b/.exec(type?.getText() ?? '') ?? []
  return word.toLowerCase()
}
