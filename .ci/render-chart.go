// Renders deploy/helm/broadgauge like `helm template`, for machines without helm. It uses the same template language and the
// same functions, and the same library checks the values. On Debian: apt-get install golang-go
// golang-github-masterminds-sprig-dev golang-github-xeipuuv-gojsonschema-dev. Each argument is a file with values. With --json,
// it prints each document as a line of JSON.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run .ci/render-chart.go [--json] [VALUES.yaml …]
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/xeipuuv/gojsonschema"
	"gopkg.in/yaml.v3"
)

const chart = "deploy/helm/broadgauge"

type values = map[string]interface{}

func main() {
	merged := values{}
	paths := os.Args[1:]
	asJSON := len(paths) > 0 && paths[0] == "--json"
	if asJSON {
		paths = paths[1:]
	}
	for _, path := range append([]string{filepath.Join(chart, "values.yaml")}, paths...) {
		merge(merged, read(path))
	}
	validate(merged)
	description := read(filepath.Join(chart, "Chart.yaml"))
	context := values{
		"Values":  merged,
		"Release": values{"Name": "panel", "Service": "Helm"},
		"Chart":   values{"Name": description["name"], "Version": description["version"], "AppVersion": description["appVersion"]},
	}
	// A template that uses a missing value must fail, because the name of the value is probably misspelt.
	all := template.New("chart").Option("missingkey=error")
	all.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var text bytes.Buffer
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(value interface{}) string {
			var text bytes.Buffer
			encoder := yaml.NewEncoder(&text)
			encoder.SetIndent(2)
			check(encoder.Encode(value))
			return strings.TrimSuffix(text.String(), "\n")
		},
	})
	templates, _ := filepath.Glob(filepath.Join(chart, "templates", "*"))
	for _, path := range templates {
		text, err := os.ReadFile(path)
		check(err)
		template.Must(all.New(filepath.Base(path)).Parse(string(text)))
	}
	seen := map[string]bool{}
	for _, path := range templates {
		if strings.HasSuffix(path, ".yaml") {
			var text bytes.Buffer
			check(all.ExecuteTemplate(&text, filepath.Base(path), context))
			show(path, text.String(), seen, asJSON)
		}
	}
}

func validate(given values) {
	schema, err := os.ReadFile(filepath.Join(chart, "values.schema.json"))
	check(err)
	result, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(schema), gojsonschema.NewGoLoader(given))
	check(err)
	for _, fault := range result.Errors() {
		check(fmt.Errorf("%s", fault))
	}
}

// Prints the documents of a template. Checks that each document is YAML with an apiVersion, a kind and a name, and that no two
// documents have the same kind and name.
func show(path, text string, seen map[string]bool, asJSON bool) {
	for _, document := range strings.Split(text, "\n---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		var object struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   struct{ Name string }
		}
		check(yaml.Unmarshal([]byte(document), &object))
		name := object.Kind + "/" + object.Metadata.Name
		if object.APIVersion == "" || object.Kind == "" || object.Metadata.Name == "" || seen[name] {
			check(fmt.Errorf("%s: no object, or one that is there already: %q", path, name))
		}
		seen[name] = true
		if asJSON {
			whole := values{}
			check(yaml.Unmarshal([]byte(document), &whole))
			line, err := json.Marshal(whole)
			check(err)
			fmt.Println(string(line))
		} else {
			fmt.Printf("---\n# %s\n%s\n", path, strings.TrimSpace(document))
		}
	}
}

func read(path string) values {
	text, err := os.ReadFile(path)
	check(err)
	found := values{}
	check(yaml.Unmarshal(text, &found))
	return found
}

func merge(into, from values) {
	for key, value := range from {
		inner, isMap := value.(values)
		if present, hasMap := into[key].(values); isMap && hasMap {
			merge(present, inner)
		} else {
			into[key] = value
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
