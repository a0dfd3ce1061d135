import type { Rule } from 'eslint';

/** `process.env` is read once, at the start. PATH is no setting: the programs that we start need it to find theirs. */
export const environment: Rule.RuleModule = {
  meta: { type: 'problem', schema: [], messages: { environment: 'Settings are read once, at the start; take a slice of `Config`.' } },
  create(context) {
    const report = (node: Rule.Node) => context.report({ node, messageId: 'environment' });
    return {
      "MemberExpression[object.name='process'][property.name='env']": (node: Rule.Node) => {
        if (!isPath(node.parent)) report(node);
      },
      "VariableDeclarator[init.name='process'] Property[key.name='env']": report,
      'ImportDeclaration[source.value=/^(node:)?process$/]': report,
    };
  },
};

function isPath(node: Rule.Node | null): boolean {
  return node?.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier' && node.property.name === 'PATH';
}
