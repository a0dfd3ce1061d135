/*
@actions/expressions 0.3.61, bundled by "npm run generate".

MIT License

Copyright GitHub

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
Object.defineProperty(exports, Symbol.toStringTag, { value: "Module" });
// \0rolldown/runtime.js
var __defProp = Object.defineProperty;
var __exportAll = (all, flags) => {
	let target = Object.setPrototypeOf({}, null);
	for (var name in all) __defProp(target, name, {
		get: all[name],
		enumerable: true
	});
	if (!(flags & 1)) __defProp(target, Symbol.toStringTag, { value: "Module" });
	return flags & 2 ? target : Object.preventExtensions(target);
};
// dist/ast.js
var Expr = class {};
var Literal = class extends Expr {
	constructor(literal, token) {
		super();
		this.literal = literal;
		this.token = token;
	}
	accept(v) {
		return v.visitLiteral(this);
	}
};
var Unary = class extends Expr {
	constructor(operator, expr) {
		super();
		this.operator = operator;
		this.expr = expr;
	}
	accept(v) {
		return v.visitUnary(this);
	}
};
var FunctionCall = class extends Expr {
	constructor(functionName, args) {
		super();
		this.functionName = functionName;
		this.args = args;
	}
	accept(v) {
		return v.visitFunctionCall(this);
	}
};
var Binary = class extends Expr {
	constructor(left, operator, right) {
		super();
		this.left = left;
		this.operator = operator;
		this.right = right;
	}
	accept(v) {
		return v.visitBinary(this);
	}
};
var Logical = class extends Expr {
	constructor(operator, args) {
		super();
		this.operator = operator;
		this.args = args;
	}
	accept(v) {
		return v.visitLogical(this);
	}
};
var Grouping = class extends Expr {
	constructor(group) {
		super();
		this.group = group;
	}
	accept(v) {
		return v.visitGrouping(this);
	}
};
var ContextAccess = class extends Expr {
	constructor(name) {
		super();
		this.name = name;
	}
	accept(v) {
		return v.visitContextAccess(this);
	}
};
var IndexAccess = class extends Expr {
	constructor(expr, index) {
		super();
		this.expr = expr;
		this.index = index;
	}
	accept(v) {
		return v.visitIndexAccess(this);
	}
};
var Star = class extends Expr {
	accept() {
		throw new Error("Method not implemented.");
	}
};
// dist/data/expressiondata.js
var Kind;
(function(Kind) {
	Kind[Kind["String"] = 0] = "String";
	Kind[Kind["Array"] = 1] = "Array";
	Kind[Kind["Dictionary"] = 2] = "Dictionary";
	Kind[Kind["Boolean"] = 3] = "Boolean";
	Kind[Kind["Number"] = 4] = "Number";
	Kind[Kind["CaseSensitiveDictionary"] = 5] = "CaseSensitiveDictionary";
	Kind[Kind["Null"] = 6] = "Null";
})(Kind || (Kind = {}));
function kindStr(k) {
	switch (k) {
		case Kind.Array: return "Array";
		case Kind.Boolean: return "Boolean";
		case Kind.Null: return "Null";
		case Kind.Number: return "Number";
		case Kind.Dictionary: return "Object";
		case Kind.String: return "String";
	}
	return "unknown";
}
// dist/data/dictionary.js
var Dictionary = class {
	constructor(...pairs) {
		this.keys = [];
		this.v = [];
		this.indexMap = {};
		this.kind = Kind.Dictionary;
		this.primitive = false;
		for (const p of pairs) this.add(p.key, p.value);
	}
	coerceString() {
		return kindStr(this.kind);
	}
	number() {
		return NaN;
	}
	add(key, value) {
		if (key.toLowerCase() in this.indexMap) return;
		this.keys.push(key);
		this.v.push(value);
		this.indexMap[key.toLowerCase()] = this.v.length - 1;
	}
	get(key) {
		const index = this.indexMap[key.toLowerCase()];
		if (index === void 0) return;
		return this.v[index];
	}
	values() {
		return this.v;
	}
	pairs() {
		const result = [];
		for (const key of this.keys) result.push({
			key,
			value: this.v[this.indexMap[key.toLowerCase()]]
		});
		return result;
	}
};
function isDictionary(x) {
	return x.kind === Kind.Dictionary;
}
// dist/data/array.js
var Array$1 = class {
	constructor(...data) {
		this.v = [];
		this.kind = Kind.Array;
		this.primitive = false;
		for (const d of data) this.add(d);
	}
	coerceString() {
		return kindStr(this.kind);
	}
	number() {
		return NaN;
	}
	add(value) {
		this.v.push(value);
	}
	get(index) {
		return this.v[index];
	}
	values() {
		return this.v;
	}
};
// dist/data/boolean.js
var BooleanData = class {
	constructor(value) {
		this.value = value;
		this.kind = Kind.Boolean;
		this.primitive = true;
	}
	coerceString() {
		if (this.value) return "true";
		return "false";
	}
	number() {
		if (this.value) return 1;
		return 0;
	}
};
// dist/data/null.js
var Null = class {
	constructor() {
		this.kind = Kind.Null;
		this.primitive = true;
	}
	coerceString() {
		return "";
	}
	number() {
		return 0;
	}
};
// dist/data/number.js
var NumberData = class {
	constructor(value) {
		this.value = value;
		this.kind = Kind.Number;
		this.primitive = true;
	}
	coerceString() {
		if (this.value === 0) return "0";
		return (+this.value.toFixed(15)).toString();
	}
	number() {
		return this.value;
	}
};
// dist/data/string.js
var StringData = class {
	constructor(value) {
		this.value = value;
		this.kind = Kind.String;
		this.primitive = true;
	}
	coerceString() {
		return this.value;
	}
	number() {
		return Number(this.value);
	}
};
// dist/data/replacer.js
/**
* Replacer can be passed to JSON.stringify to convert an ExpressionData object into plain JSON
*
* See: https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Global_Objects/JSON/stringify#replacer
*/
function replacer(_key, value) {
	if (value instanceof Null) return null;
	if (value instanceof BooleanData) return value.value;
	if (value instanceof NumberData) return value.number();
	if (value instanceof StringData) return value.coerceString();
	if (value instanceof Array$1) return value.values();
	if (value instanceof Dictionary) {
		const pairs = value.pairs();
		const r = {};
		for (const p of pairs) r[p.key] = p.value;
		return r;
	}
	return value;
}
// dist/data/reviver.js
/**
* Reviver can be passed to `JSON.parse` to convert plain JSON into an `ExpressionData` object.
*
* See: https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Global_Objects/JSON/parse#reviver
*/
function reviver(_key, val) {
	if (val === null) return new Null();
	if (typeof val === "string") return new StringData(val);
	if (typeof val === "number") return new NumberData(val);
	if (typeof val === "boolean") return new BooleanData(val);
	if (Array.isArray(val)) return new Array$1(...val);
	if (typeof val === "object") return new Dictionary(...Object.keys(val).map((k) => ({
		key: k,
		value: val[k]
	})));
	return val;
}
// dist/data/index.js
var data_exports = /* @__PURE__ */ __exportAll({
	Array: () => Array$1,
	BooleanData: () => BooleanData,
	Dictionary: () => Dictionary,
	Kind: () => Kind,
	Null: () => Null,
	NumberData: () => NumberData,
	StringData: () => StringData,
	replacer: () => replacer,
	reviver: () => reviver
});
// dist/filtered_array.js
var FilteredArray = class extends Array$1 {};
// dist/lexer.js
var TokenType;
(function(TokenType) {
	TokenType[TokenType["UNKNOWN"] = 0] = "UNKNOWN";
	TokenType[TokenType["LEFT_PAREN"] = 1] = "LEFT_PAREN";
	TokenType[TokenType["RIGHT_PAREN"] = 2] = "RIGHT_PAREN";
	TokenType[TokenType["LEFT_BRACKET"] = 3] = "LEFT_BRACKET";
	TokenType[TokenType["RIGHT_BRACKET"] = 4] = "RIGHT_BRACKET";
	TokenType[TokenType["COMMA"] = 5] = "COMMA";
	TokenType[TokenType["DOT"] = 6] = "DOT";
	TokenType[TokenType["BANG"] = 7] = "BANG";
	TokenType[TokenType["BANG_EQUAL"] = 8] = "BANG_EQUAL";
	TokenType[TokenType["EQUAL_EQUAL"] = 9] = "EQUAL_EQUAL";
	TokenType[TokenType["GREATER"] = 10] = "GREATER";
	TokenType[TokenType["GREATER_EQUAL"] = 11] = "GREATER_EQUAL";
	TokenType[TokenType["LESS"] = 12] = "LESS";
	TokenType[TokenType["LESS_EQUAL"] = 13] = "LESS_EQUAL";
	TokenType[TokenType["AND"] = 14] = "AND";
	TokenType[TokenType["OR"] = 15] = "OR";
	TokenType[TokenType["STAR"] = 16] = "STAR";
	TokenType[TokenType["NUMBER"] = 17] = "NUMBER";
	TokenType[TokenType["STRING"] = 18] = "STRING";
	TokenType[TokenType["IDENTIFIER"] = 19] = "IDENTIFIER";
	TokenType[TokenType["TRUE"] = 20] = "TRUE";
	TokenType[TokenType["FALSE"] = 21] = "FALSE";
	TokenType[TokenType["NULL"] = 22] = "NULL";
	TokenType[TokenType["EOF"] = 23] = "EOF";
})(TokenType || (TokenType = {}));
function tokenString(tok) {
	switch (tok.type) {
		case TokenType.EOF: return "EOF";
		case TokenType.NUMBER: return tok.lexeme;
		case TokenType.STRING: return tok.value.toString();
		default: return tok.lexeme;
	}
}
var Lexer = class {
	constructor(input) {
		this.input = input;
		this.start = 0;
		this.offset = 0;
		this.line = 0;
		this.lastLineOffset = 0;
		this.tokens = [];
	}
	lex() {
		if (this.input.length > 21e3) throw new Error("ErrorExceededMaxLength");
		while (!this.atEnd()) {
			this.start = this.offset;
			const c = this.next();
			switch (c) {
				case "(":
					this.addToken(TokenType.LEFT_PAREN);
					break;
				case ")":
					this.addToken(TokenType.RIGHT_PAREN);
					break;
				case "[":
					this.addToken(TokenType.LEFT_BRACKET);
					break;
				case "]":
					this.addToken(TokenType.RIGHT_BRACKET);
					break;
				case ",":
					this.addToken(TokenType.COMMA);
					break;
				case ".":
					if (this.previous() != TokenType.IDENTIFIER && this.previous() != TokenType.RIGHT_BRACKET && this.previous() != TokenType.RIGHT_PAREN && this.previous() != TokenType.STAR) this.consumeNumber();
					else this.addToken(TokenType.DOT);
					break;
				case "-":
				case "+":
					this.consumeNumber();
					break;
				case "!":
					this.addToken(this.match("=") ? TokenType.BANG_EQUAL : TokenType.BANG);
					break;
				case "=":
					if (!this.match("=")) {
						this.consumeIdentifier();
						break;
					}
					this.addToken(TokenType.EQUAL_EQUAL);
					break;
				case "<":
					this.addToken(this.match("=") ? TokenType.LESS_EQUAL : TokenType.LESS);
					break;
				case ">":
					this.addToken(this.match("=") ? TokenType.GREATER_EQUAL : TokenType.GREATER);
					break;
				case "&":
					if (!this.match("&")) {
						this.consumeIdentifier();
						break;
					}
					this.addToken(TokenType.AND);
					break;
				case "|":
					if (!this.match("|")) {
						this.consumeIdentifier();
						break;
					}
					this.addToken(TokenType.OR);
					break;
				case "*":
					this.addToken(TokenType.STAR);
					break;
				case " ":
				case "\r":
				case "	": break;
				case "\n":
					++this.line;
					this.lastLineOffset = this.offset;
					break;
				case "'":
					this.consumeString();
					break;
				default: switch (true) {
					case isDigit(c):
						this.consumeNumber();
						break;
					default: this.consumeIdentifier();
				}
			}
		}
		this.tokens.push({
			type: TokenType.EOF,
			lexeme: "",
			range: this.range()
		});
		return { tokens: this.tokens };
	}
	pos() {
		return {
			line: this.line,
			column: this.start - this.lastLineOffset
		};
	}
	endPos() {
		return {
			line: this.line,
			column: this.offset - this.lastLineOffset
		};
	}
	range() {
		return {
			start: this.pos(),
			end: this.endPos()
		};
	}
	atEnd() {
		return this.offset >= this.input.length;
	}
	peek() {
		if (this.atEnd()) return "\0";
		return this.input[this.offset];
	}
	peekNext() {
		if (this.offset + 1 >= this.input.length) return "\0";
		return this.input[this.offset + 1];
	}
	previous() {
		const l = this.tokens.length;
		if (l == 0) return TokenType.EOF;
		return this.tokens[l - 1].type;
	}
	next() {
		return this.input[this.offset++];
	}
	match(expected) {
		if (this.atEnd()) return false;
		if (this.input[this.offset] !== expected) return false;
		this.offset++;
		return true;
	}
	addToken(type, value) {
		this.tokens.push({
			type,
			lexeme: this.input.substring(this.start, this.offset),
			range: this.range(),
			value
		});
	}
	consumeNumber() {
		while (!this.atEnd() && (!isBoundary(this.peek()) || this.peek() == ".")) this.next();
		const lexeme = this.input.substring(this.start, this.offset);
		const value = new StringData(lexeme).number();
		if (isNaN(value)) throw new Error(`Unexpected symbol: '${lexeme}'. Located at position ${this.start + 1} within expression: ${this.input}`);
		this.addToken(TokenType.NUMBER, value);
	}
	consumeString() {
		while ((this.peek() !== "'" || this.peekNext() === "'") && !this.atEnd()) {
			if (this.peek() === "\n") this.line++;
			if (this.peek() === "'" && this.peekNext() === "'") this.next();
			this.next();
		}
		if (this.atEnd()) throw new Error(`Unexpected symbol: '${this.input.substring(this.start)}'. Located at position ${this.start + 1} within expression: ${this.input}`);
		this.next();
		let value = this.input.substring(this.start + 1, this.offset - 1);
		value = value.replace("''", "'");
		this.addToken(TokenType.STRING, value);
	}
	consumeIdentifier() {
		while (!this.atEnd() && !isBoundary(this.peek())) this.next();
		let tokenType = TokenType.IDENTIFIER;
		let tokenValue = void 0;
		const lexeme = this.input.substring(this.start, this.offset);
		if (this.previous() != TokenType.DOT) switch (lexeme) {
			case "true":
				tokenType = TokenType.TRUE;
				break;
			case "false":
				tokenType = TokenType.FALSE;
				break;
			case "null":
				tokenType = TokenType.NULL;
				break;
			case "NaN":
				tokenType = TokenType.NUMBER;
				tokenValue = NaN;
				break;
			case "Infinity":
				tokenType = TokenType.NUMBER;
				tokenValue = 1e400;
		}
		if (!isLegalIdentifier(lexeme)) throw new Error(`Unexpected symbol: '${lexeme}'. Located at position ${this.start + 1} within expression: ${this.input}`);
		this.addToken(tokenType, tokenValue);
	}
};
function isDigit(c) {
	return c >= "0" && c <= "9";
}
function isBoundary(c) {
	switch (c) {
		case "(":
		case "[":
		case ")":
		case "]":
		case ",":
		case ".":
		case "!":
		case ">":
		case "<":
		case "=":
		case "&":
		case "|": return true;
	}
	return /\s/.test(c);
}
function isLegalIdentifier(str) {
	if (str == "") return false;
	const first = str[0];
	if (first >= "a" && first <= "z" || first >= "A" && first <= "Z" || first == "_") {
		for (const c of str.substring(1).split("")) if (c >= "a" && c <= "z" || c >= "A" && c <= "Z" || c >= "0" && c <= "9" || c == "_" || c == "-") {} else return false;
		return true;
	}
	return false;
}
const MAX_EXPRESSION_LENGTH = 21e3;
var ErrorType;
(function(ErrorType) {
	ErrorType[ErrorType["ErrorUnexpectedSymbol"] = 0] = "ErrorUnexpectedSymbol";
	ErrorType[ErrorType["ErrorUnrecognizedNamedValue"] = 1] = "ErrorUnrecognizedNamedValue";
	ErrorType[ErrorType["ErrorUnexpectedEndOfExpression"] = 2] = "ErrorUnexpectedEndOfExpression";
	ErrorType[ErrorType["ErrorExceededMaxDepth"] = 3] = "ErrorExceededMaxDepth";
	ErrorType[ErrorType["ErrorExceededMaxLength"] = 4] = "ErrorExceededMaxLength";
	ErrorType[ErrorType["ErrorTooFewParameters"] = 5] = "ErrorTooFewParameters";
	ErrorType[ErrorType["ErrorTooManyParameters"] = 6] = "ErrorTooManyParameters";
	ErrorType[ErrorType["ErrorEvenParameters"] = 7] = "ErrorEvenParameters";
	ErrorType[ErrorType["ErrorUnrecognizedContext"] = 8] = "ErrorUnrecognizedContext";
	ErrorType[ErrorType["ErrorUnrecognizedFunction"] = 9] = "ErrorUnrecognizedFunction";
})(ErrorType || (ErrorType = {}));
var ExpressionError = class extends Error {
	constructor(typ, tok) {
		super(`${errorDescription(typ)}: '${tokenString(tok)}'`);
		this.typ = typ;
		this.tok = tok;
		this.pos = this.tok.range.start;
	}
};
function errorDescription(typ) {
	switch (typ) {
		case ErrorType.ErrorUnexpectedEndOfExpression: return "Unexpected end of expression";
		case ErrorType.ErrorUnexpectedSymbol: return "Unexpected symbol";
		case ErrorType.ErrorUnrecognizedNamedValue: return "Unrecognized named-value";
		case ErrorType.ErrorExceededMaxDepth: return `Exceeded max expression depth 50`;
		case ErrorType.ErrorExceededMaxLength: return `Exceeded max expression length ${MAX_EXPRESSION_LENGTH}`;
		case ErrorType.ErrorTooFewParameters: return "Too few parameters supplied";
		case ErrorType.ErrorTooManyParameters: return "Too many parameters supplied";
		case ErrorType.ErrorEvenParameters: return "Even number of parameters supplied, requires an odd number of parameters";
		case ErrorType.ErrorUnrecognizedContext: return "Unrecognized named-value";
		case ErrorType.ErrorUnrecognizedFunction: return "Unrecognized function";
		default: return "Unknown error";
	}
}
var ExpressionEvaluationError = class extends Error {};
// dist/funcs/case.js
const caseFunc = {
	name: "case",
	description: "`case( pred1, val1, pred2, val2, ..., default )`\n\nEvaluates predicates in order and returns the value corresponding to the first predicate that evaluates to `true`. If no predicate matches, it returns the last argument as the default value.",
	minArgs: 3,
	maxArgs: Number.MAX_SAFE_INTEGER,
	call: (...args) => {
		for (let i = 0; i < args.length - 1; i += 2) {
			const predicate = args[i];
			if (predicate.kind !== Kind.Boolean) throw new Error("case predicate must evaluate to a boolean value");
			if (predicate.value) return args[i + 1];
		}
		return args[args.length - 1];
	}
};
// dist/result.js
function falsy(d) {
	switch (d.kind) {
		case Kind.Null: return true;
		case Kind.Boolean: return !d.value;
		case Kind.Number: {
			const dv = d.value;
			return dv === 0 || isNaN(dv);
		}
		case Kind.String: return d.value.length === 0;
	}
	return false;
}
function truthy(d) {
	return !falsy(d);
}
function coerceTypes(li, ri) {
	let lv = li;
	let rv = ri;
	if (li.kind === ri.kind) return [lv, rv];
	switch (li.kind) {
		case Kind.Number:
			if (ri.kind === Kind.String) {
				rv = new NumberData(ri.number());
				return [lv, rv];
			}
			break;
		case Kind.String:
			if (ri.kind === Kind.Number) {
				lv = new NumberData(li.number());
				return [lv, rv];
			}
			break;
		case Kind.Null:
		case Kind.Boolean:
			lv = new NumberData(li.number());
			return coerceTypes(lv, rv);
	}
	switch (ri.kind) {
		case Kind.Null:
		case Kind.Boolean:
			rv = new NumberData(ri.number());
			return coerceTypes(lv, rv);
	}
	return [lv, rv];
}
function equals(lhs, rhs) {
	const [lv, rv] = coerceTypes(lhs, rhs);
	if (lv.kind != rv.kind) return false;
	switch (lv.kind) {
		case Kind.Null: return true;
		case Kind.Number: {
			const ld = lv.value;
			const rd = rv.value;
			if (isNaN(ld) || isNaN(rd)) return false;
			return ld == rd;
		}
		case Kind.String: {
			const ls = lv.value;
			const rs = rv.value;
			return toUpperSpecial(ls) === toUpperSpecial(rs);
		}
		case Kind.Boolean: return lv.value == rv.value;
		case Kind.Dictionary:
		case Kind.Array: return lv === rv;
	}
	return false;
}
function greaterThan(lhs, rhs) {
	const [lv, rv] = coerceTypes(lhs, rhs);
	if (lv.kind != rv.kind) return false;
	switch (lv.kind) {
		case Kind.Number: {
			const lf = lv.value;
			const rf = rv.value;
			if (isNaN(lf) || isNaN(rf)) return false;
			return lf > rf;
		}
		case Kind.String: {
			let ls = lv.value;
			let rs = rv.value;
			ls = toUpperSpecial(ls);
			rs = toUpperSpecial(rs);
			return ls > rs;
		}
		case Kind.Boolean: {
			const lb = lv.value;
			const rb = rv.value;
			return lb && !rb;
		}
	}
	return false;
}
function lessThan(lhs, rhs) {
	const [lv, rv] = coerceTypes(lhs, rhs);
	if (lv.kind != rv.kind) return false;
	switch (lv.kind) {
		case Kind.Number: {
			const lf = lv.value;
			const rf = rv.value;
			if (isNaN(lf) || isNaN(rf)) return false;
			return lf < rf;
		}
		case Kind.String: {
			let ls = lv.value;
			let rs = rv.value;
			ls = toUpperSpecial(ls);
			rs = toUpperSpecial(rs);
			return ls < rs;
		}
		case Kind.Boolean: {
			const lb = lv.value;
			const rb = rv.value;
			return !lb && rb;
		}
	}
	return false;
}
function toUpperSpecial(s) {
	const sb = [];
	let i = 0;
	const len = s.length;
	let found = s.indexOf("ı");
	while (i < len) if (i < found) {
		sb.push(s.substring(i, found).toUpperCase());
		i = found;
	} else if (i == found) {
		sb.push(s.substring(i, i + 1));
		i += 1;
		found = s.indexOf("ı", i);
	} else {
		sb.push(s.substring(i).toUpperCase());
		break;
	}
	return sb.join("");
}
// dist/funcs/contains.js
const contains = {
	name: "contains",
	description: "`contains( search, item )`\n\nReturns `true` if `search` contains `item`. If `search` is an array, this function returns `true` if the `item` is an element in the array. If `search` is a string, this function returns `true` if the `item` is a substring of `search`. This function is not case sensitive. Casts values to a string.",
	minArgs: 2,
	maxArgs: 2,
	call: (...args) => {
		const left = args[0];
		const right = args[1];
		if (left.primitive) {
			const ls = left.coerceString();
			if (right.primitive) {
				const rs = right.coerceString();
				return new BooleanData(ls.toLowerCase().includes(rs.toLowerCase()));
			}
		} else if (left.kind === Kind.Array) {
			const la = left;
			if (la.values().length === 0) return new BooleanData(false);
			for (const v of la.values()) if (equals(right, v)) return new BooleanData(true);
		}
		return new BooleanData(false);
	}
};
// dist/funcs/endswith.js
const endswith = {
	name: "endsWith",
	description: "`endsWith( searchString, searchValue )`\n\nReturns `true` if `searchString` ends with `searchValue`. This function is not case sensitive. Casts values to a string.",
	minArgs: 2,
	maxArgs: 2,
	call: (...args) => {
		const left = args[0];
		if (!left.primitive) return new BooleanData(false);
		const right = args[1];
		if (!right.primitive) return new BooleanData(false);
		const ls = toUpperSpecial(left.coerceString());
		const rs = toUpperSpecial(right.coerceString());
		return new BooleanData(ls.endsWith(rs));
	}
};
// dist/funcs/format.js
const format = {
	name: "format",
	description: "`format( string, replaceValue0, replaceValue1, ..., replaceValueN)`\n\nReplaces values in the `string`, with the variable `replaceValueN`. Variables in the `string` are specified using the `{N}` syntax, where `N` is an integer. You must specify at least one `replaceValue` and `string`. There is no maximum for the number of variables (`replaceValueN`) you can use. Escape curly braces using double braces.",
	minArgs: 1,
	maxArgs: 255,
	call: (...args) => {
		const fs = args[0].coerceString();
		const result = [];
		let index = 0;
		while (index < fs.length) {
			const lbrace = fs.indexOf("{", index);
			const rbrace = fs.indexOf("}", index);
			if (lbrace >= 0 && (rbrace < 0 || rbrace > lbrace)) {
				if (safeCharAt(fs, lbrace + 1) === "{") {
					result.push(fs.substr(index, lbrace - index + 1));
					index = lbrace + 2;
					continue;
				}
				if (rbrace > lbrace + 1) {
					const argIndex = readArgIndex(fs, lbrace + 1);
					if (argIndex.success) {
						if (1 + argIndex.result > args.length - 1) throw new Error(`The following format string references more arguments than were supplied: ${fs}`);
						if (lbrace > index) result.push(fs.substr(index, lbrace - index));
						result.push(`${args[1 + argIndex.result].coerceString()}`);
						index = rbrace + 1;
						continue;
					}
				}
				throw new Error(`The following format string is invalid: ${fs}`);
			} else if (rbrace >= 0) {
				if (safeCharAt(fs, rbrace + 1) === "}") {
					result.push(fs.substr(index, rbrace - index + 1));
					index = rbrace + 2;
				} else throw new Error(`The following format string is invalid: ${fs}`);
			} else {
				result.push(fs.substr(index));
				break;
			}
		}
		return new StringData(result.join(""));
	}
};
function safeCharAt(string, index) {
	if (string.length > index) return string[index];
	return "\0";
}
function readArgIndex(string, startIndex) {
	let length = 0;
	for (;;) {
		const nextChar = safeCharAt(string, startIndex + length);
		if (nextChar >= "0" && nextChar <= "9") length++;
		else break;
	}
	if (length < 1) return { success: false };
	const endIndex = startIndex + length - 1;
	const result = parseInt(string.substr(startIndex, length));
	return {
		success: !isNaN(result),
		result,
		endIndex
	};
}
// dist/funcs.js
const wellKnownFunctions = {
	case: caseFunc,
	contains,
	endswith,
	format,
	fromjson: {
		name: "fromJson",
		description: "`fromJSON(value)`\n\nReturns a JSON object or JSON data type for `value`. You can use this function to provide a JSON object as an evaluated expression or to convert environment variables from a string.",
		minArgs: 1,
		maxArgs: 1,
		call: (...args) => {
			const is = args[0].coerceString();
			if (is.trim() === "") throw new Error("empty input");
			try {
				return JSON.parse(is, reviver);
			} catch (e) {
				throw new ExpressionEvaluationError("Error parsing JSON when evaluating fromJson", { cause: e });
			}
		}
	},
	join: {
		name: "join",
		description: "`join( array, optionalSeparator )`\n\nThe value for `array` can be an array or a string. All values in `array` are concatenated into a string. If you provide `optionalSeparator`, it is inserted between the concatenated values. Otherwise, the default separator `,` is used. Casts values to a string.",
		minArgs: 1,
		maxArgs: 2,
		call: (...args) => {
			if (args[0].primitive) return new StringData(args[0].coerceString());
			if (args[0].kind === Kind.Array) {
				let separator = ",";
				if (args.length > 1 && args[1].primitive) separator = args[1].coerceString();
				return new StringData(args[0].values().map((item) => item.coerceString()).join(separator));
			}
			return new StringData("");
		}
	},
	startswith: {
		name: "startsWith",
		description: "`startsWith( searchString, searchValue )`\n\nReturns `true` when `searchString` starts with `searchValue`. This function is not case sensitive. Casts values to a string.",
		minArgs: 2,
		maxArgs: 2,
		call: (...args) => {
			const left = args[0];
			if (!left.primitive) return new BooleanData(false);
			const right = args[1];
			if (!right.primitive) return new BooleanData(false);
			const ls = toUpperSpecial(left.coerceString());
			const rs = toUpperSpecial(right.coerceString());
			return new BooleanData(ls.startsWith(rs));
		}
	},
	tojson: {
		name: "toJson",
		description: "`toJSON(value)`\n\nReturns a pretty-print JSON representation of `value`. You can use this function to debug the information provided in contexts.",
		minArgs: 1,
		maxArgs: 1,
		call: (...args) => {
			return new StringData(JSON.stringify(args[0], replacer, "  "));
		}
	}
};
function validateFunction(context, identifier, argCount) {
	const name = identifier.lexeme.toLowerCase();
	let f;
	f = wellKnownFunctions[name];
	if (!f) {
		f = context.extensionFunctions.get(name);
		if (!f) {
			if (!context.allowUnknownKeywords) throw new ExpressionError(ErrorType.ErrorUnrecognizedFunction, identifier);
			return;
		}
	}
	if (argCount < f.minArgs) throw new ExpressionError(ErrorType.ErrorTooFewParameters, identifier);
	if (argCount > f.maxArgs) throw new ExpressionError(ErrorType.ErrorTooManyParameters, identifier);
	if (name === "case" && argCount % 2 === 0) throw new ExpressionError(ErrorType.ErrorEvenParameters, identifier);
}
// dist/idxHelper.js
var idxHelper = class {
	constructor(star, idx) {
		this.star = star;
		if (!idx) return;
		if (!star) {
			if (idx.primitive) this.str = idx.coerceString();
			let f = idx.number();
			if (!isNaN(f) && isFinite(f) && f >= 0) {
				f = Math.floor(f);
				this.int = f;
			}
		}
	}
};
// dist/evaluator.js
var Evaluator = class {
	/**
	* Creates a new evaluator
	* @param n Parsed expression to evaluate
	* @param context Context data to use
	* @param functions Optional map of function implementations. If given, these will be preferred over the built-in functions.
	*/
	constructor(n, context, functions) {
		this.n = n;
		this.context = context;
		this.functions = functions;
	}
	evaluate() {
		return this.eval(this.n);
	}
	eval(n) {
		return n.accept(this);
	}
	visitLiteral(literal) {
		return literal.literal;
	}
	visitUnary(unary) {
		const r = this.eval(unary.expr);
		if (unary.operator.type === TokenType.BANG) return new BooleanData(falsy(r));
		throw new Error(`unknown unary operator: ${unary.operator.lexeme}`);
	}
	visitBinary(binary) {
		const left = this.eval(binary.left);
		const right = this.eval(binary.right);
		switch (binary.operator.type) {
			case TokenType.EQUAL_EQUAL: return new BooleanData(equals(left, right));
			case TokenType.BANG_EQUAL: return new BooleanData(!equals(left, right));
			case TokenType.GREATER: return new BooleanData(greaterThan(left, right));
			case TokenType.GREATER_EQUAL: return new BooleanData(equals(left, right) || greaterThan(left, right));
			case TokenType.LESS: return new BooleanData(lessThan(left, right));
			case TokenType.LESS_EQUAL: return new BooleanData(equals(left, right) || lessThan(left, right));
		}
		throw new Error(`unknown binary operator: ${binary.operator.lexeme}`);
	}
	visitLogical(logical) {
		let result;
		for (const arg of logical.args) {
			result = this.eval(arg);
			if (logical.operator.type === TokenType.AND && falsy(result) || logical.operator.type === TokenType.OR && truthy(result)) break;
		}
		return result;
	}
	visitGrouping(grouping) {
		return this.eval(grouping.group);
	}
	visitContextAccess(contextAccess) {
		return this.context.get(contextAccess.name.lexeme);
	}
	visitIndexAccess(ia) {
		let idx;
		if (ia.index instanceof Star) idx = new idxHelper(true, void 0);
		else {
			let idxResult;
			try {
				idxResult = this.eval(ia.index);
			} catch (e) {
				throw new Error(`could not evaluate index for index access: ${e.message}`, { cause: e });
			}
			idx = new idxHelper(false, idxResult);
		}
		const objResult = this.eval(ia.expr);
		let result;
		switch (objResult.kind) {
			case Kind.Array: {
				const tobjResult = objResult;
				if (tobjResult instanceof FilteredArray) result = filteredArrayAccess(tobjResult, idx);
				else result = arrayAccess(tobjResult, idx);
				break;
			}
			case Kind.Dictionary:
				result = objectAccess(objResult, idx);
				break;
			default: if (idx.star) result = new FilteredArray();
			else result = new Null();
		}
		return result;
	}
	visitFunctionCall(functionCall) {
		const args = functionCall.args.map((arg) => this.eval(arg));
		const functionName = functionCall.functionName.lexeme.toLowerCase();
		return (this.functions?.get(functionName) || wellKnownFunctions[functionName]).call(...args);
	}
};
function filteredArrayAccess(fa, idx) {
	const result = new FilteredArray();
	for (const item of fa.values()) switch (item.kind) {
		case Kind.Dictionary: {
			const ti = item;
			if (idx.star) for (const v of ti.values()) result.add(v);
			else if (idx.str !== void 0) {
				const v = ti.get(idx.str);
				if (v !== void 0) result.add(v);
			}
			break;
		}
		case Kind.Array: {
			const ti = item;
			if (idx.star) for (const v of ti.values()) result.add(v);
			else if (idx.int !== void 0 && idx.int < ti.values().length) result.add(ti.get(idx.int));
			break;
		}
	}
	return result;
}
function arrayAccess(a, idx) {
	if (idx.star) {
		const fa = new FilteredArray();
		for (const item of a.values()) fa.add(item);
		return fa;
	}
	if (idx.int !== void 0 && idx.int < a.values().length) return a.get(idx.int);
	return new Null();
}
function objectAccess(obj, idx) {
	if (idx.star) return new FilteredArray(...obj.values());
	if (idx.str !== void 0) {
		const r = obj.get(idx.str);
		if (r !== void 0) return r;
	}
	return new Null();
}
// dist/features.js
/**
* All known experimental feature keys.
* This list must be kept in sync with the ExperimentalFeatures interface.
*/
const allFeatureKeys = [
	"missingInputsQuickfix",
	"blockScalarChompingWarning",
	"allowCaseFunction",
	"allowCopilotRequestsPermission",
	"allowDrivesPermissionAutocomplete",
	"allowBackgroundSteps"
];
var FeatureFlags = class {
	constructor(features) {
		this.features = features ?? {};
	}
	/**
	* Check if an experimental feature is enabled.
	*
	* Resolution order:
	* 1. Explicit feature flag (if set)
	* 2. `all` flag (if set)
	* 3. false (default)
	*/
	isEnabled(feature) {
		const explicit = this.features[feature];
		if (explicit !== void 0) return explicit;
		return this.features.all ?? false;
	}
	/**
	* Returns list of all enabled experimental features.
	*/
	getEnabledFeatures() {
		return allFeatureKeys.filter((key) => this.isEnabled(key));
	}
};
// dist/parser.js
var Parser = class {
	/**
	* Constructs a new parser for the given tokens
	*
	* @param tokens Tokens to build a parse tree from
	* @param extensionContexts Available context names
	* @param extensionFunctions Available functions (beyond the built-in ones)
	*/
	constructor(tokens, extensionContexts, extensionFunctions) {
		this.tokens = tokens;
		this.offset = 0;
		this.depth = 0;
		this.extContexts = /* @__PURE__ */ new Map();
		this.extFuncs = /* @__PURE__ */ new Map();
		for (const contextName of extensionContexts) this.extContexts.set(contextName.toLowerCase(), true);
		for (const { name, func } of extensionFunctions.map((x) => ({
			name: x.name,
			func: x
		}))) this.extFuncs.set(name.toLowerCase(), func);
		this.context = {
			allowUnknownKeywords: false,
			extensionContexts: this.extContexts,
			extensionFunctions: this.extFuncs
		};
	}
	parse() {
		let result;
		if (this.atEnd()) return result;
		result = this.expression();
		if (!this.atEnd()) throw this.buildError(ErrorType.ErrorUnexpectedSymbol, this.peek());
		return result;
	}
	expression() {
		this.incrDepth();
		try {
			return this.logicalOr();
		} finally {
			this.decrDepth();
		}
	}
	logicalOr() {
		let expr = this.logicalAnd();
		if (this.check(TokenType.OR)) {
			this.incrDepth();
			try {
				const logical = new Logical(this.peek(), [expr]);
				expr = logical;
				while (this.match(TokenType.OR)) {
					const right = this.logicalAnd();
					logical.args.push(right);
				}
			} finally {
				this.decrDepth();
			}
		}
		return expr;
	}
	logicalAnd() {
		let expr = this.equality();
		if (this.check(TokenType.AND)) {
			this.incrDepth();
			try {
				const logical = new Logical(this.peek(), [expr]);
				expr = logical;
				while (this.match(TokenType.AND)) {
					const right = this.equality();
					logical.args.push(right);
				}
			} finally {
				this.decrDepth();
			}
		}
		return expr;
	}
	equality() {
		let expr = this.comparison();
		while (this.match(TokenType.BANG_EQUAL, TokenType.EQUAL_EQUAL)) {
			const operator = this.previous();
			const right = this.comparison();
			expr = new Binary(expr, operator, right);
		}
		return expr;
	}
	comparison() {
		let expr = this.unary();
		while (this.match(TokenType.GREATER, TokenType.GREATER_EQUAL, TokenType.LESS, TokenType.LESS_EQUAL)) {
			const operator = this.previous();
			const right = this.unary();
			expr = new Binary(expr, operator, right);
		}
		return expr;
	}
	unary() {
		if (this.match(TokenType.BANG)) {
			this.incrDepth();
			const operator = this.previous();
			const unary = this.unary();
			try {
				return new Unary(operator, unary);
			} finally {
				this.decrDepth();
			}
		}
		return this.index();
	}
	index() {
		let expr = this.call();
		let depthIncreased = 0;
		if (expr instanceof Grouping || expr instanceof FunctionCall || expr instanceof ContextAccess) {
			let cont = true;
			while (cont) switch (true) {
				case this.match(TokenType.LEFT_BRACKET): {
					let indexExpr;
					if (this.match(TokenType.STAR)) indexExpr = new Star();
					else indexExpr = this.expression();
					this.consume(TokenType.RIGHT_BRACKET, ErrorType.ErrorUnexpectedSymbol);
					this.incrDepth();
					depthIncreased++;
					expr = new IndexAccess(expr, indexExpr);
					break;
				}
				case this.match(TokenType.DOT):
					this.incrDepth();
					depthIncreased++;
					if (this.match(TokenType.IDENTIFIER)) {
						const property = this.previous();
						expr = new IndexAccess(expr, new Literal(new StringData(property.lexeme), property));
					} else if (this.match(TokenType.STAR)) expr = new IndexAccess(expr, new Star());
					else throw this.buildError(ErrorType.ErrorUnexpectedSymbol, this.peek());
					break;
				default: cont = false;
			}
		}
		for (let i = 0; i < depthIncreased; i++) this.decrDepth();
		return expr;
	}
	call() {
		if (!this.check(TokenType.IDENTIFIER)) return this.primary();
		const identifier = this.next();
		if (!this.match(TokenType.LEFT_PAREN)) {
			if (!this.extContexts.has(identifier.lexeme.toLowerCase())) throw this.buildError(ErrorType.ErrorUnrecognizedContext, identifier);
			return new ContextAccess(identifier);
		}
		const args = [];
		while (!this.match(TokenType.RIGHT_PAREN)) {
			const aexp = this.expression();
			args.push(aexp);
			if (!this.check(TokenType.RIGHT_PAREN)) this.consume(TokenType.COMMA, ErrorType.ErrorUnexpectedSymbol);
		}
		validateFunction(this.context, identifier, args.length);
		return new FunctionCall(identifier, args);
	}
	primary() {
		switch (true) {
			case this.match(TokenType.FALSE): return new Literal(new BooleanData(false), this.previous());
			case this.match(TokenType.TRUE): return new Literal(new BooleanData(true), this.previous());
			case this.match(TokenType.NULL): return new Literal(new Null(), this.previous());
			case this.match(TokenType.NUMBER): return new Literal(new NumberData(this.previous().value), this.previous());
			case this.match(TokenType.STRING): return new Literal(new StringData(this.previous().value), this.previous());
			case this.match(TokenType.LEFT_PAREN): {
				const expr = this.expression();
				if (this.atEnd()) throw this.buildError(ErrorType.ErrorUnexpectedEndOfExpression, this.previous());
				this.consume(TokenType.RIGHT_PAREN, ErrorType.ErrorUnexpectedSymbol);
				return new Grouping(expr);
			}
			case this.atEnd(): throw this.buildError(ErrorType.ErrorUnexpectedEndOfExpression, this.previous());
		}
		throw this.buildError(ErrorType.ErrorUnexpectedSymbol, this.peek());
	}
	match(...tokenTypes) {
		for (const tokenType of tokenTypes) if (this.check(tokenType)) {
			this.next();
			return true;
		}
		return false;
	}
	check(tokenType) {
		if (this.atEnd()) return false;
		return this.peek().type == tokenType;
	}
	atEnd() {
		return this.peek().type == TokenType.EOF;
	}
	next() {
		if (!this.atEnd()) this.offset++;
		return this.previous();
	}
	peek() {
		return this.tokens[this.offset];
	}
	previous() {
		return this.tokens[this.offset - 1];
	}
	consume(tokenType, errorType) {
		if (this.check(tokenType)) {
			this.next();
			return;
		}
		throw this.buildError(errorType, this.peek());
	}
	incrDepth() {
		this.depth++;
		if (this.depth > 50) throw this.buildError(ErrorType.ErrorExceededMaxDepth, this.peek());
	}
	decrDepth() {
		this.depth--;
	}
	buildError(errType, token) {
		return new ExpressionError(errType, token);
	}
};
// dist/completion.js
/**
* Complete returns a list of completion items for the given expression.
* The main functionality is auto-completing functions and context access:
* We can only provide assistance if the input is in one of the following forms (with | denoting the cursor position):
* - context.path.inp| or context.path['inp| -- auto-complete context access
* - context.path.| or context.path['| -- auto-complete context access
* - toJS| -- auto-complete function call or top-level
* - | -- auto-complete function call or top-level context access
*
* @param input Input expression
* @param context Context available for the expression
* @param extensionFunctions List of functions available
* @param functions Optional map of functions to use during evaluation
* @param featureFlags Optional feature flags to control which features are enabled
* @returns Array of completion items
*/
function complete(input, context, extensionFunctions, functions, featureFlags) {
	const tokenInputVector = trimTokenVector(new Lexer(input).lex().tokens);
	let tokenIdx = tokenInputVector.length - 2;
	if (tokenIdx >= 0) switch (tokenInputVector[tokenIdx].type) {
		case TokenType.IDENTIFIER:
			tokenIdx--;
			break;
		case TokenType.STRING: return [];
	}
	if (tokenIdx < 0) {
		const result = contextKeys(context);
		result.push(...functionItems(extensionFunctions, featureFlags));
		return result;
	}
	const pathTokenVector = tokenInputVector.slice(0, tokenIdx);
	pathTokenVector.push(tokenInputVector[tokenInputVector.length - 1]);
	return contextKeys(new Evaluator(new Parser(pathTokenVector, context.pairs().map((x) => x.key), extensionFunctions).parse(), context, functions).evaluate());
}
function functionItems(extensionFunctions, featureFlags) {
	const result = [];
	const flags = featureFlags ?? new FeatureFlags();
	for (const fdef of [...Object.values(wellKnownFunctions), ...extensionFunctions]) {
		if (fdef.name === "case" && !flags.isEnabled("allowCaseFunction")) continue;
		result.push({
			label: fdef.name,
			description: fdef.description,
			function: true
		});
	}
	result.sort((a, b) => a.label.localeCompare(b.label));
	return result;
}
function contextKeys(context) {
	if (isDictionary(context)) return context.pairs().map((x) => completionItemFromContext(x)).sort((a, b) => a.label.localeCompare(b.label));
	return [];
}
function completionItemFromContext(pair) {
	const context = pair.key.toString();
	const parenIndex = context.indexOf("(");
	const isFunc = parenIndex >= 0 && context.indexOf(")") >= 0;
	return {
		label: isFunc ? context.substring(0, parenIndex) : context,
		description: pair.description,
		function: isFunc
	};
}
function trimTokenVector(tokenVector) {
	let tokenIdx = tokenVector.length;
	let openParen = 0;
	while (tokenIdx > 0) {
		switch (tokenVector[tokenIdx - 1].type) {
			case TokenType.LEFT_PAREN:
				if (openParen == 0) break;
				openParen--;
				tokenIdx--;
				continue;
			case TokenType.RIGHT_PAREN:
				openParen++;
				tokenIdx--;
				continue;
			case TokenType.IDENTIFIER:
			case TokenType.DOT:
			case TokenType.EOF:
			case TokenType.LEFT_BRACKET:
			case TokenType.RIGHT_BRACKET:
			case TokenType.STRING:
				tokenIdx--;
				continue;
		}
		break;
	}
	return tokenVector.slice(tokenIdx);
}
// dist/completion/descriptionDictionary.js
function isDescriptionDictionary(x) {
	return x.kind === Kind.Dictionary && x instanceof DescriptionDictionary;
}
var DescriptionDictionary = class extends Dictionary {
	constructor(...pairs) {
		super();
		this.descriptions = /* @__PURE__ */ new Map();
		this.complete = true;
		for (const p of pairs) this.add(p.key, p.value, p.description);
	}
	add(key, value, description) {
		if (this.get(key) !== void 0) return;
		super.add(key, value);
		if (description) this.descriptions.set(key, description);
	}
	pairs() {
		return super.pairs().map((p) => ({
			...p,
			description: this.descriptions.get(p.key)
		}));
	}
	getDescription(key) {
		return this.descriptions.get(key);
	}
};
exports.DescriptionDictionary = DescriptionDictionary;
exports.Evaluator = Evaluator;
exports.Expr = Expr;
exports.ExpressionError = ExpressionError;
exports.ExpressionEvaluationError = ExpressionEvaluationError;
exports.FeatureFlags = FeatureFlags;
exports.Lexer = Lexer;
exports.Parser = Parser;
exports.complete = complete;
Object.defineProperty(exports, "data", {
	enumerable: true,
	get: function() {
		return data_exports;
	}
});
exports.isDescriptionDictionary = isDescriptionDictionary;
exports.wellKnownFunctions = wellKnownFunctions;
