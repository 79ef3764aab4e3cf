import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { entry } from '../../tsup.config.ts'
import { pageAt, pages, ROOT } from './pages.ts'

const PAGE_NAMES: Readonly<Record<string, string>> = {
  index: 'agentfold',
  arbitraries: 'testing-arbitraries',
}
const entries = Object.entries(entry).map(
  ([name, file]) => [`docs/reference/${PAGE_NAMES[name] ?? name}.md`, file] as const,
)

describe('the reference', () => {
  it.each(entries)('%s names every export of %s, and no other', (page, file) => {
    expect(namesOn(pageAt(page)).sort()).toEqual(exportsOf(file).sort())
  })

  it.each(entries)('%s says something of each export', (page) => {
    for (const [, name, sentence = ''] of rowsOf(pageAt(page))) expect(sentence, name).toMatch(/^\S.* .*\.$/)
  })

  it('has no page without an entry point', () => {
    const written = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/reference/'))
    expect(written).toEqual(entries.map(([page]) => page).sort())
  })
})

/** A row of a table that begins with a name in backticks. */
function rowsOf(page: string): readonly RegExpMatchArray[] {
  return [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)]
}

function namesOn(page: string): string[] {
  return rowsOf(page).map(([, name = '']) => name)
}

/** Returns the names that a module exports, values and types. Entry points have no `export *`. */
function exportsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return listedIn(statement)
    return isExported(statement) ? declaredBy(statement) : []
  })
}

function listedIn({ exportClause }: ts.ExportDeclaration): string[] {
  if (!exportClause || !ts.isNamedExports(exportClause)) throw new Error('an entry point names its exports')
  return exportClause.elements.map(({ name }) => name.text)
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
}

function declaredBy(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? name.text : [],
    )
  if (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  )
    return statement.name ? [statement.name.text] : []
  throw new Error('an export of another kind')
}
