export { compilePattern, type CompiledPattern, type Pattern } from './pattern';
export { matchIgnoreList, matchIncludeList, type ListVerdict } from './pattern-list';
