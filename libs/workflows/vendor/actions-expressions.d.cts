type Library = typeof import('@actions/expressions', { with: { 'resolution-mode': 'import' }});

export declare const data: Library['data'];
export declare const Evaluator: Library['Evaluator'];
export declare const Lexer: Library['Lexer'];
export declare const Parser: Library['Parser'];
export declare const wellKnownFunctions: Library['wellKnownFunctions'];
