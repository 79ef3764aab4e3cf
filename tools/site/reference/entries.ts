import { join } from 'node:path'
import ts from 'typescript'
import { entry } from '../../../tsup.config.ts'

export const ROOT: string = join(import.meta.dirname, '../../..')

/** A page of the reference and what its entry points export. Programs with a wire of their own share a page. */
export interface ReferencePage {
  /** The path of the page from the root of the repository. */
  readonly path: string
  /** The exported declarations by their names. */
  readonly exports: ReadonlyMap<string, ts.Symbol>
}

const PAGE_NAMES: Readonly<Record<string, string>> = {
  index: 'agentfold',
  arbitraries: 'testing-arbitraries',
}
const WIRES = ['claude', 'opencode', 'codex', 'pi', 'kimi', 'copilot', 'gemini', 'qwen', 'cline']

const program = createProgram()
const checker = program.getTypeChecker()

/** The pages, in the order of the build. */
export const referencePages: readonly ReferencePage[] = [...new Set(Object.keys(entry).map(pathOf))].map(
  (path) => ({
    path,
    exports: new Map(
      Object.entries(entry).flatMap(([name, file]) => (pathOf(name) === path ? [...exportsOf(file)] : [])),
    ),
  }),
)

/** Everything that a program can import. */
export const exported: ReadonlySet<ts.Symbol> = new Set(
  referencePages.flatMap(({ exports }) => [...exports.values()]),
)

/** Whether the package declares it, and no dependency or the language. */
export function isOfPackage({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((node) => node.getSourceFile().fileName.startsWith(join(ROOT, 'src/')))
}

/** Returns the symbol that a name in a type stands for, behind all imports. */
export function symbolAt(name: ts.Node): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(name)
  return symbol && declared(symbol)
}

/** Returns the type of a field of an object, as the source writes it. */
export function propertyType(type: ts.TypeNode, name: string): ts.TypeNode | undefined {
  const declaration = checker.getTypeFromTypeNode(type).getProperty(name)?.valueDeclaration
  return declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined
}

/** Returns the type that the compiler infers. */
export function typeOf(node: ts.Node): string {
  return checker.typeToString(checker.getTypeAtLocation(node))
}

/**
 * Returns the members of a type: the names of its fields, or the texts of a closed set. Fields that it has from another
 * exported type are not among them: that type has a row of its own.
 */
export function membersOf(symbol: ts.Symbol): readonly string[] {
  const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0
  const type = isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol)
  if (type.isUnion()) return type.types.flatMap((each) => (each.isStringLiteral() ? [each.value] : []))
  return checker
    .getPropertiesOfType(type)
    .filter((field) => isOfPackage(field) && !isOfOther(field, symbol))
    .map(({ name }) => name)
}

function isOfOther({ declarations = [] }: ts.Symbol, symbol: ts.Symbol): boolean {
  return declarations.some(({ parent }) => {
    const owner = ts.isInterfaceDeclaration(parent) && checker.getSymbolAtLocation(parent.name)
    return owner && owner !== symbol && exported.has(owner)
  })
}

function pathOf(name: string): string {
  return `docs/reference/${WIRES.includes(name) ? 'wires' : (PAGE_NAMES[name] ?? name)}.md`
}

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT)
  return ts.createProgram(
    Object.values(entry).map((file) => join(ROOT, file)),
    options,
  )
}

function exportsOf(file: string): ReadonlyMap<string, ts.Symbol> {
  const source = program.getSourceFile(join(ROOT, file))
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`${file} exports nothing`)
  return new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, declared(symbol)]))
}

function declared(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}
