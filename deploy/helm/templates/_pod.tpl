{{- /*
Changes the template of a pod: image, what the values say of this workload, and a checksum of its settings, so that others
replace the pods. A hook runs before the ConfigMaps are there, so it has its settings in itself.
Takes `root`, `settings`, `template`, `name` and `hook`; writes nothing.
*/ -}}
{{- define "pressroom.pod" -}}
{{- $root := .root -}}
{{- $settings := .settings -}}
{{- $hook := .hook -}}
{{- $own := index $root.Values.workloads .name | default dict -}}
{{- $metadata := .template.metadata -}}
{{- $_ := set $metadata.labels "app.kubernetes.io/part-of" "pressroom" -}}
{{- $pod := .template.spec -}}
{{- with $root.Values.image.pullSecrets -}}
  {{- $names := list -}}
  {{- range . }}{{ $names = append $names (dict "name" .) }}{{ end -}}
  {{- $_ := set $pod "imagePullSecrets" $names -}}
{{- end -}}
{{- $read := dict -}}
{{- range concat ($pod.initContainers | default list) $pod.containers -}}
  {{- $container := . -}}
  {{- $_ := set $container "image" (include "pressroom.image" (dict "root" $root "image" $container.image)) -}}
  {{- $_ := set $container "imagePullPolicy" $root.Values.image.pullPolicy -}}
  {{- with $own.resources -}}
    {{- $_ := set $container "resources" (mustMergeOverwrite $container.resources (deepCopy .)) -}}
  {{- end -}}
  {{- $env := $container.env | default list -}}
  {{- $from := list -}}
  {{- range $container.envFrom -}}
    {{- if not .configMapRef -}}
      {{- $from = append $from . -}}
    {{- else if $hook -}}
      {{- range $key, $value := index $settings .configMapRef.name -}}
        {{- $env = append $env (dict "name" $key "value" $value) -}}
      {{- end -}}
    {{- else -}}
      {{- $from = append $from . -}}
      {{- $_ := set $read .configMapRef.name (index $settings .configMapRef.name) -}}
    {{- end -}}
  {{- end -}}
  {{- with $env }}{{ $_ := set $container "env" . }}{{ end -}}
  {{- if $from }}{{ $_ := set $container "envFrom" $from }}{{ else }}{{ $_ := unset $container "envFrom" }}{{ end -}}
{{- end -}}
{{- if not $hook -}}
  {{- $checksum := dict "checksum/settings" (toYaml $read | sha256sum) -}}
  {{- $_ := set $metadata "annotations" (merge $checksum ($metadata.annotations | default dict)) -}}
{{- end -}}
{{- with $own.pod -}}
  {{- $_ := mustMergeOverwrite $pod (deepCopy .) -}}
{{- end -}}
{{- end -}}
