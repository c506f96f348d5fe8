{{- /*
Writes an object of base/ with what the values say in its place, or nothing if they leave it out.
Takes `root`, `settings` and `object`.
*/ -}}
{{- define "pressroom.object" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $object := .object -}}
{{- $kind := $object.kind -}}
{{- $name := $object.metadata.name -}}
{{- $own := index $values.workloads $name | default dict -}}
{{- $spec := $object.spec -}}
{{- $wanted := true -}}
{{- $labels := include "pressroom.labels" $root | fromYaml -}}
{{- $_ := set $object.metadata "labels" (merge $labels ($object.metadata.labels | default dict)) -}}
{{- $pod := dict "root" $root "settings" .settings "name" $name "hook" (eq $kind "Job") -}}
{{- if eq $kind "Deployment" -}}
  {{- include "pressroom.pod" (set $pod "template" $spec.template) -}}
  {{- if hasKey $own "replicas" }}{{ $_ := set $spec "replicas" $own.replicas }}{{ end -}}
{{- else if eq $kind "Job" -}}
  {{- include "pressroom.pod" (set $pod "template" $spec.template) -}}
  {{- if not $values.helmHooks -}}
    {{- /* A Job cannot be changed: with other settings or another image it is another one. */ -}}
    {{- $_ := set $object.metadata "name" (printf "%s-%s" $name (toYaml $spec | sha256sum | trunc 10)) -}}
    {{- $_ := unset $object.metadata "annotations" -}}
  {{- end -}}
{{- else if eq $kind "CronJob" -}}
  {{- include "pressroom.pod" (set $pod "template" $spec.jobTemplate.spec.template) -}}
{{- else if eq $kind "HorizontalPodAutoscaler" -}}
  {{- with $own.minReplicas }}{{ $_ := set $spec "minReplicas" . }}{{ end -}}
  {{- with $own.maxReplicas }}{{ $_ := set $spec "maxReplicas" . }}{{ end -}}
{{- else if eq $kind "Ingress" -}}
  {{- $wanted = $values.ingress.enabled -}}
  {{- with $values.ingress.annotations }}{{ $_ := set $object.metadata "annotations" . }}{{ end -}}
  {{- with $values.ingress.className }}{{ $_ := set $spec "ingressClassName" . }}{{ end -}}
  {{- with $values.ingress.host }}{{ $_ := set (first $spec.rules) "host" . }}{{ end -}}
  {{- with $values.ingress.tlsSecret -}}
    {{- $_ := set $spec "tls" (list (dict "hosts" (list $values.ingress.host) "secretName" .)) -}}
  {{- end -}}
{{- else if eq $kind "NetworkPolicy" -}}
  {{- $wanted = $values.networkPolicies.enabled -}}
  {{- include "pressroom.policy" (dict "values" $values "name" $name "spec" $spec) -}}
{{- else if eq $kind "PersistentVolumeClaim" -}}
  {{- $_ := mustMergeOverwrite $spec (deepCopy $values.backupClaim) -}}
{{- else if eq $kind "ServiceMonitor" -}}
  {{- $wanted = $values.serviceMonitor.enabled -}}
  {{- $_ := set $object.metadata "labels" (merge (deepCopy $values.serviceMonitor.labels) $object.metadata.labels) -}}
{{- end -}}
{{- if $wanted }}
---
{{ toYaml $object }}
{{- end -}}
{{- end -}}
